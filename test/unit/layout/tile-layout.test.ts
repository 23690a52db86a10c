import { describe, expect, it } from "vitest";
import { apply } from "../../../src/layout/linear-layout.ts";
import {
  elementPlaces,
  layoutText,
  linearLayout,
  type MatrixSpread,
  neighbours,
  readSpread,
  repeatedLanes,
  repeatedWarps,
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
const sides = [0, 1] as const;
const others: readonly Spread[] = [
  { shape: [128], layout: { kind: "blocked", perThread: [4], threads: [32], warps: [1], order: [0] } },
  { shape: [64, 32], layout: { kind: "blocked", perThread: [1, 4], threads: [4, 8], warps: [4, 1], order: [1, 0] } },
  { shape: [8, 8], layout: { kind: "blocked", perThread: [1, 4], threads: [4, 8], warps: [4, 1], order: [0, 1] } },
  {
    shape: [4, 16, 8],
    layout: { kind: "blocked", perThread: [1, 2, 2], threads: [2, 4, 4], warps: [2, 1, 2], order: [2, 1, 0] },
  },
  { shape: [64, 32], layout: { kind: "operand", width: 2, warpgroups: 1 } },
  { shape: [64, 8], layout: { kind: "metadata", bytes: 1, warpgroups: 1 } },
  { shape: [128, 16], layout: { kind: "metadata", bytes: 2, warpgroups: 1 } },
  { shape: [64, 32], layout: { kind: "mma", warps: [2, 2] } },
  { shape: [16, 64], layout: { kind: "mma", warps: [2, 1] } },
  { shape: [64, 32], layout: { kind: "mma operand", operand: "A", width: 2, warps: [2, 2] } },
  { shape: [32, 16], layout: { kind: "mma operand", operand: "A", width: 4, warps: [1, 4] } },
  { shape: [64, 32], layout: { kind: "mma operand", operand: "B", width: 1, warps: [2, 2] } },
  { shape: [8, 8], layout: { kind: "mma operand", operand: "B", width: 2, warps: [1, 2] } },
  {
    shape: [4, 64],
    layout: {
      kind: "linear",
      register: [
        [0, 1],
        [3, 0],
      ],
      lane: [1, 2, 4, 8, 16].map((n) => [0, 2 * n]),
      warp: [[2, 0]],
      extents: [4, 64],
    },
  },
];

/** What a thread of the first warpgroup holds, element by element: its own first place, moved as its registers are. */
function heldBy(tile: Spread, lane: number, warp: number): readonly (readonly number[])[] {
  const first = Object.values(apply(linearLayout(tile), { lane, warp }));
  return elementPlaces(tile).map((place) => place.map((x, d) => x ^ (first[d] ?? 0)));
}
const threads = Array.from({ length: 128 }, (_, t) => [t % 32, t >> 5] as const);
const unique = (list: readonly number[]): number[] => [...new Set(list)];

describe.each(matrices)("what is left of $shape over $layout.warpgroups", (tile) => {
  it.each(sides)("has, in each thread, what the thread has of it, once: %s", (which) => {
    const left = sliceOf(tile, which === 0 ? 1 : 0);
    for (const [lane, warp] of threads)
      expect(heldBy(left, lane, warp).map((p) => p[0] ?? -1)).toEqual(
        unique(heldBy(tile, lane, warp).map((p) => p[which] ?? -1)),
      );
    expect(left.shape).toEqual([tile.shape[which]]);
    expect(rowsEach(left)).toBe(which === 0 ? rowsEach(tile) : tile.shape[1]);
    expect(warpgroupsOf(left)).toBe(tile.layout.warpgroups);
  });

  it.each(sides)("is shared by the threads that have parts of one of it: %s", (which) => {
    const { lanes, warps, warpgroups } = sharersAlong(tile, which === 0 ? 1 : 0);
    const of = (lane: number, warp: number) => String(unique(heldBy(tile, lane, warp).map((p) => p[which] ?? -1)));
    const span = lanes.reduce((all, mask) => all.flatMap((lane) => [lane, lane ^ mask]), [0]);
    for (const lane of Array.from({ length: 32 }, (_, l) => l)) {
      const same = Array.from({ length: 32 }, (_, l) => l).filter((l) => of(l, 0) === of(lane, 0));
      expect(same).toEqual(span.map((l) => l ^ lane).toSorted((a, b) => a - b));
    }
    expect(warps.length > 0).toBe([1, 2, 3].some((warp) => of(0, warp) === of(0, 0)));
    expect(warpgroups).toBe(which === 1 && tile.layout.warpgroups > 1);
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

describe.each(others)("a tile $shape that is $layout.kind", (tile) => {
  it("has every element in some thread, and where threads repeat others, they are told", () => {
    const warps = linearLayout(tile).inputs.find((d) => d.name === "warp")?.bases.length ?? 0;
    const held = new Map<string, number>();
    for (let warp = 0; warp < 2 ** warps; warp++)
      for (let lane = 0; lane < 32; lane++)
        for (const place of heldBy(tile, lane, warp)) held.set(place.join(), (held.get(place.join()) ?? 0) + 1);
    const count = tile.shape.reduce((n, extent) => n * extent, 1);
    expect(held.size).toBe(count);
    const bits = (mask: number): number => mask.toString(2).replaceAll("0", "").length;
    const copies = 2 ** (bits(repeatedLanes(tile)) + bits(repeatedWarps(tile)));
    expect(new Set(held.values())).toEqual(new Set([copies]));
  });

  it("is written and read", () => {
    for (const spread of [tile, sliceOf(tile, 0)]) expect(readSpread(spread.shape, layoutText(spread.layout))).toEqual(spread);
  });
});

/** Four registers of 16 bits of a thread, as coordinates: those of metadata as PTX ISA 9.7.15.6 has them. */
it("has metadata of sparse operands where instructions take them from", () => {
  const at = (bytes: 1 | 2, lane: number): string =>
    heldBy({ shape: [64, 4], layout: { kind: "metadata", bytes, warpgroups: 1 } }, lane, 1).join(" ");
  expect([0, 1, 2, 7].map((lane) => at(2, lane))).toEqual(["16,0 24,0", "16,1 24,1", "16,2 24,2", "17,3 25,3"]);
  expect([0, 1, 2, 7].map((lane) => at(1, lane))).toEqual(["16,0 16,1", "24,0 24,1", "16,2 16,3", "25,2 25,3"]);
});

it("tells how many neighbours a thread has", () => {
  const [, rows, columns] = others as [Spread, Spread, Spread];
  expect([0, 1].map((d) => neighbours(rows, d, 16))).toEqual([1, 4]);
  expect(neighbours(rows, 1, 2)).toBe(2);
  expect([0, 1].map((d) => neighbours(columns, d, 16))).toEqual([1, 4]);
  expect([0, 1].map((d) => neighbours(matrix(64, 256), d, 16))).toEqual([1, 2]);
});
