import { elementBytes } from "../../../base/element-types.ts";
import type { DType } from "../../../base/types.ts";
import { add, constant, first, xor } from "../../../ir/arith.ts";
import type { SharedViewType, TileType, Value } from "../../../ir/index.ts";
import { warpgroupsOf, warpsOf } from "../../../layout/index.ts";
import { load, store, toMemory } from "./accesses.ts";
import { sharedAddress } from "./addresses.ts";
import { type Expansion, refuse } from "./expansion.ts";
import { isFirstHolder, laneOf, type Running, warpNumber } from "./fragment.ts";
import { indexOffset, plus } from "./offset.ts";
import type { SharedParts } from "./parts.ts";
import { sharedRuns } from "./shared-places.ts";

/** The threads that hold a tile together: the first one, and how many. */
function threadsOf(x: Expansion, tile: TileType, running: Running): { readonly first: number; readonly count: number } {
  const [start = 0, count = warpgroupsOf(tile)] = running ?? [];
  const warps = warpsOf(tile);
  if (warps === undefined && count !== warpgroupsOf(tile)) refuse(x, "W6209", {});
  return { first: 128 * start, count: warps === undefined ? 128 * count : 32 * warps };
}

/** The highest barrier that the author does not use, for threads that are not all of the block; those that begin elsewhere have another one. */
function barrierFor({ scratch }: Expansion, firstThread: number): number {
  const free = Array.from({ length: 15 }, (_, i) => 15 - i).filter((id) => !scratch.barriers.has(id));
  return free[Math.floor(firstThread / 128) % Math.max(1, free.length)] ?? 15;
}

/** All threads of the tile meet. */
export function meet(x: Expansion, tile: TileType, running: Running): void {
  const { first: from, count } = threadsOf(x, tile, running);
  const all = count >= x.scratch.threads;
  const id = constant(x.w, all ? 0 : barrierFor(x, from), "i32");
  x.w.emit("bar.sync", { id }, { count: all ? 0 : count });
}

/** The buffer of those warps, with room for so many bytes. */
function bufferOf({ shared, scratch, w }: Expansion, warps: string, bytes: number): number {
  const known = scratch.buffers.get(warps);
  const at = shared.findIndex((b) => b.id === known);
  const buffer = shared[at];
  if (buffer) {
    shared[at] = { ...buffer, bytes: Math.max(buffer.bytes, bytes) };
    return buffer.id;
  }
  const id = shared.reduce((next, b) => Math.max(next, b.id + 1), 0);
  shared.push({ id, name: `exchange${id}`, bytes, align: 16, spans: w.spans() });
  scratch.buffers.set(warps, id);
  return id;
}

/** A view of so many elements of the tile's type in shared memory that its threads share, rows of `row` elements `pitch` apart. */
export function scratchView(
  x: Expansion,
  tile: TileType,
  running: Running,
  dtype: DType,
  layout: SharedViewType["layout"],
  bytes: number,
): SharedParts {
  const { first: from, count } = threadsOf(x, tile, running);
  const key = `${from} ${count}`;
  const base = first(x.w.emit("shared.buffer", {}, { buffer: bufferOf(x, key, bytes) }));
  const type: SharedViewType = { kind: "view", space: "shared", dtype, layout, swizzle: "none", align: 16 };
  return { kind: "shared", type, base, offset: { fixed: 0, staged: undefined } };
}

/** A row-major view of a tile's shape; each row of `pad` more bytes than its elements have. */
export function rowMajorLayout(
  { dtype, shape }: TileType,
  pad = 0,
): { readonly layout: SharedViewType["layout"]; readonly bytes: number } {
  let stride: number = elementBytes[dtype];
  const layout = shape
    .toReversed()
    .map((extent, i) => {
      const mode = [{ extent, stride }];
      stride = stride * extent + (i === 0 && shape.length > 1 ? pad : 0);
      return mode;
    })
    .toReversed();
  return { layout, bytes: stride };
}

/** A tile in shared memory, once all have met. Rows are padded so that lanes of different rows reach different banks. */
export function shareTile(x: Expansion, tile: TileType, own: readonly Value[], running: Running): SharedParts {
  const { w } = x;
  const bytes = elementBytes[tile.dtype];
  const { layout, bytes: size } = rowMajorLayout(tile, Math.max(4, bytes));
  const view = scratchView(x, tile, running, tile.dtype, layout, size);
  meet(x, tile, running);
  const holder = isFirstHolder(x, tile, running);
  for (const {
    at,
    elements: [i = 0],
  } of sharedRuns(x, tile, { view, divisor: bytes }, running, { count: 1, dim: 0 }))
    store(w, at, [toMemory(w, tile.dtype, own[i] as Value)], holder);
  meet(x, tile, running);
  return view;
}

/** `offset` of a view, so many bytes further on. */
export const movedBy = (x: Expansion, view: SharedParts, by: Value | undefined): SharedParts =>
  by
    ? { ...view, offset: { fixed: view.offset.fixed, staged: view.offset.staged ? add(x.w, view.offset.staged, by) : by } }
    : view;

/** What the warp whose number differs in that bit has of these values: each thread takes those of the same lane. */
export function fromOppositeWarp(
  x: Expansion,
  tile: TileType,
  running: Running,
  mask: number,
  values: readonly { readonly dtype: DType; readonly value: Value }[],
): readonly Value[] {
  const { w } = x;
  const warps = threadsOf(x, tile, running).count / 32;
  return values.map(({ dtype, value }) => {
    const bytes = elementBytes[dtype];
    const layout = [[{ extent: warps, stride: 32 * bytes }], [{ extent: 32, stride: bytes }]];
    const view = scratchView(x, tile, running, dtype, layout, warps * 32 * bytes);
    const number = warpNumber(w, tile, running);
    const address = (warp: Value) => () => {
      const [row, column] = layout.map((d, i) => indexOffset(w, d, i === 0 ? warp : laneOf(w), "i32"));
      return sharedAddress(w, view, plus(w, view.offset, row && column ? plus(w, row, column) : view.offset));
    };
    meet(x, tile, running);
    store(w, { space: "shared", dtype, address: address(number) }, [toMemory(w, dtype, value)]);
    meet(x, tile, running);
    return load(w, { space: "shared", dtype, address: address(xor(w, number, mask)) }, 1)[0] as Value;
  });
}
