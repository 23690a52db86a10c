import { type BlockRef, type LoopRef, Schedule } from "warpsmith/schedule";
import { matmulOf } from "./matmul.ts";

/** How loops are split: 16 × 16 tiles of a warp, warps of a block, tiles of K in shared memory. */
export interface Splits {
  /** Tiles along M: blocks, warps of a block, tiles of a warp. `null` is what the size leaves. */
  readonly i: readonly [number | null, number, number];
  /** The same along N. */
  readonly j: readonly [number | null, number, number];
  /** Tiles along K: trips, groups of a trip, tiles of a group. */
  readonly k: readonly [number | null, number, number];
  /** Tiles of X, and of Y, in shared memory at a time. Default: 1. */
  readonly versions?: number;
}
/** What the tutorial takes at 1024: 64 blocks of 16 warps, each with 2 × 2 tiles, and 64 of K at a time. */
export const tutorialSplits: Splits = { i: [null, 4, 2], j: [null, 4, 2], k: [null, 2, 2] };

/** The last two loops around a block. */
function lastTwo(sch: Schedule, block: BlockRef): [LoopRef, LoopRef] {
  const [x, y] = sch.getLoops(block).slice(-2);
  if (!x || !y) throw new Error(`'${block.name}' has fewer than two loops`);
  return [x, y];
}
const pair = ([a, b]: LoopRef[]): [LoopRef, LoopRef] => [a as LoopRef, b as LoopRef];
const three = ([a, b, c]: LoopRef[]): [LoopRef, LoopRef, LoopRef] => [a as LoopRef, b as LoopRef, c as LoopRef];

/** What the program is called before the first step and after each of the eight. */
export const steps = [
  "0 the loop nest", "1 blockize", "2 blocks and warps", "3 shared memory", "4 operands in registers", "5 sums in registers",
  "6 copies in tiles", "7 decompose the reduction", "8 tensorize",
] as const;
export type StepName = (typeof steps)[number];

/** The tutorial's schedule of a product of n × n, up to the step `last`. */
export function tensorize(n: number, splits: Splits = tutorialSplits, last: StepName = "8 tensorize"): Schedule {
  const sch = new Schedule(matmulOf(n));
  if (last === "0 the loop nest") return sch;

  // 1. Tiles of 16 × 16 × 16, each a block of its own.
  const [i, j, k] = three(sch.getLoops(sch.getBlock("matmul")));
  const [io, ii] = pair(sch.split(i, [null, 16]));
  const [jo, ji] = pair(sch.split(j, [null, 16]));
  const [ko, ki] = pair(sch.split(k, [null, 16]));
  sch.reorder(io, jo, ko, ii, ji, ki);
  const tile = sch.blockize(ii);
  if (last === "1 blockize") return sch;

  // 2. Blocks of the grid and warps of a block. A warp is all of threadIdx.x, so that is left free.
  const [i0, i1, i2] = three(sch.split(io, splits.i));
  const [j0, j1, j2] = three(sch.split(jo, splits.j));
  const [k0, k1, k2] = three(sch.split(ko, splits.k));
  sch.reorder(i0, j0, i1, j1, k0, k1, i2, j2, k2);
  sch.bind(sch.fuse(i0, j0), "blockIdx.x");
  const warp = sch.fuse(i1, j1);
  sch.bind(warp, "threadIdx.y");
  if (last === "2 blocks and warps") return sch;

  // 3. What a block needs of X and Y, in shared memory: all its threads load 8 elements at a time.
  const warps = splits.i[1] * splits.j[1];
  const shared = [0, 1].map((which) => sch.cacheRead(tile, which, "shared"));
  for (const copy of shared) {
    sch.computeAt(copy, k0);
    if (splits.versions) sch.multiBuffer(copy.name, k0, splits.versions);
    const [, y, x, v] = sch.split(sch.fuse(...lastTwo(sch, copy)), [null, warps, 32, 8]) as [LoopRef, LoopRef, LoopRef, LoopRef];
    sch.bind(y, "threadIdx.y");
    sch.bind(x, "threadIdx.x");
    sch.vectorize(v);
  }
  if (last === "3 shared memory") return sch;

  // 4. What a warp needs of them, in the registers that the tensor cores read.
  const a = sch.cacheRead(tile, 0, "wmma.matrix_a"), b = sch.cacheRead(tile, 1, "wmma.matrix_b");
  for (const copy of [a, b]) sch.computeAt(copy, k1);
  if (last === "4 operands in registers") return sch;

  // 5. The sums, too; they leave the registers when all of K is done.
  const result = sch.cacheWrite(tile, 0, "wmma.accumulator");
  sch.reverseComputeAt(result, warp);
  if (last === "5 sums in registers") return sch;

  // 6. Copies in tiles of 16 × 16.
  for (const copy of [a, b, result]) {
    const [x, y] = lastTwo(sch, copy);
    const [xo, xi] = pair(sch.split(x, [null, 16]));
    const [yo, yi] = pair(sch.split(y, [null, 16]));
    sch.reorder(xo, yo, xi, yi);
  }
  if (last === "6 copies in tiles") return sch;

  // 7. The start of the sums, before the loop over K.
  const [zero, add] = sch.decomposeReduction(tile, k0);
  if (last === "7 decompose the reduction") return sch;

  // 8. Instructions of the tensor cores in the place of the tiles.
  sch.tensorize(lastTwo(sch, a)[0], "wmma_load_a");
  sch.tensorize(lastTwo(sch, b)[0], "wmma_load_b");
  sch.tensorize(zero, "wmma_fill");
  sch.tensorize(add, "wmma_sync");
  sch.tensorize(lastTwo(sch, result)[0], "wmma_store");
  return sch;
}
