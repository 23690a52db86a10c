import { describe, expect, it } from "vitest";
import { apply } from "../../../src/layout/linear-layout.ts";
import {
  elementPlaces,
  extentsOf,
  layoutText,
  linearLayout,
  type MatrixSpread,
  readSpread,
  repeatedLanes,
  rowsEach,
  type Spread,
  sharersAlong,
  sliceOf,
  warpgroupsOf,
} from "../../../src/layout/tile-layout.ts";

const matrix = (rows: number, cols: number, warpgroups = 1): MatrixSpread => ({
  shape: [rows, cols],
  layout: { kind: "wgmma", warpgroups },
});
const matrices = [matrix(64, 8), matrix(64, 24), matrix(64, 256), matrix(128, 16), matrix(128, 40, 2), matrix(256, 8, 2)];
const sides = [
  ["row", 0],
  ["col", 1],
] as const;

/** What a thread of the first warpgroup holds, element by element: its own first place, moved as its registers are. */
function heldBy(tile: Spread, lane: number, warp: number): readonly { row: number; col: number }[] {
  const { row = 0, col = 0 } = apply(linearLayout(tile), { lane, warp });
  return elementPlaces(tile).map((place) => ({ row: row ^ place.row, col: col ^ place.col }));
}
const threads = Array.from({ length: 128 }, (_, t) => [t % 32, t >> 5] as const);
const unique = (list: readonly number[]): number[] => [...new Set(list)];

describe.each(matrices)("what is left of $shape over $layout.warpgroups", (tile) => {
  it.each(sides)("has, in each thread, what the thread has of it, once: %s", (kept, which) => {
    const left = sliceOf(tile, which === 0 ? 1 : 0);
    for (const [lane, warp] of threads)
      expect(heldBy(left, lane, warp).map((p) => p[kept])).toEqual(unique(heldBy(tile, lane, warp).map((p) => p[kept])));
    expect(left.shape).toEqual([tile.shape[which]]);
    expect(extentsOf(left)).toEqual(which === 0 ? [tile.shape[0], 1] : [1, tile.shape[1]]);
    expect(rowsEach(left)).toBe(which === 0 ? rowsEach(tile) : 64);
    expect(warpgroupsOf(left)).toBe(tile.layout.warpgroups);
  });

  it.each(sides)("is shared by the threads that have parts of one of it: %s", (kept, which) => {
    const { lanes, warps } = sharersAlong(tile, which === 0 ? 1 : 0);
    const of = (lane: number, warp: number) => String(unique(heldBy(tile, lane, warp).map((p) => p[kept])));
    const span = lanes.reduce((all, mask) => all.flatMap((lane) => [lane, lane ^ mask]), [0]);
    for (const lane of Array.from({ length: 32 }, (_, l) => l)) {
      const same = Array.from({ length: 32 }, (_, l) => l).filter((l) => of(l, 0) === of(lane, 0));
      expect(same).toEqual(span.map((l) => l ^ lane).toSorted((a, b) => a - b));
    }
    expect(warps).toBe([1, 2, 3].some((warp) => of(0, warp) === of(0, 0)) || (which === 1 && tile.layout.warpgroups > 1));
    const mask = lanes.reduce((all, lane) => all | lane, 0);
    expect(repeatedLanes(sliceOf(tile, which === 0 ? 1 : 0))).toBe(mask);
  });

  it("is written and read", () => {
    for (const spread of [tile, sliceOf(tile, 0), sliceOf(tile, 1)])
      expect(readSpread(spread.shape, layoutText(spread.layout))).toEqual(spread);
    expect(readSpread(tile.shape, layoutText(sliceOf(tile, 1).layout))).toBeUndefined();
    expect(readSpread([tile.shape[0]], layoutText(tile.layout))).toBeUndefined();
  });
});
