import type { Static, Tensor } from "warpsmith";
import { block, cluster, f32, kernel, sharedMemory, syncThreads, syncWarp, threadIdx, warp, warpgroup } from "warpsmith";
import { input, output } from "../cases/case.ts";
import { type Hazard, kernelHazard } from "./hazard.ts";
import { count } from "./parts.ts";

const file = import.meta.filename;

/** Lanes that have nothing to do leave, and others ask them. */
const laneEnded = kernel(
  { block: 32, grid: 1 },
  function laneEnded(x: Tensor<"f32", 1>, out: Tensor<"f32", 1>, broken: Static<boolean>) {
    const t = threadIdx.x;
    const v = x[t]!;
    if (broken && v < 0) return;
    const other = warp.shuffleXor(v, 16); // reported: W9240
    if (v >= 0) out[t] = other;
  },
);

/** The second warp of a block of 48 threads has 16 lanes. */
const laneNotThere = kernel(
  { block: 48, grid: 1 },
  function laneNotThere(x: Tensor<"f32", 1>, out: Tensor<"f32", 1>, broken: Static<boolean>) {
    const t = threadIdx.x;
    const last = broken ? 31 : 15;
    out[t] = warp.shuffle(x[t]!, last); // reported: W9240
  },
);

/** A sum of those lanes that are still there asks the others, too. */
const sumOfThoseLeft = kernel(
  { block: 32, grid: 1 },
  function sumOfThoseLeft(x: Tensor<"f32", 1>, out: Tensor<"f32", 1>, broken: Static<boolean>) {
    const t = threadIdx.x;
    const v = x[t]!;
    if (broken && v < 0) return;
    const sum = warp.sum(v < 0 ? f32(0) : v); // reported: W9240
    if (v >= 0) out[t] = sum;
  },
);

/** Some lanes vote while the others wait at a barrier of the block. */
const laneWaitsElsewhere = kernel(
  { block: 32, grid: 1 },
  function laneWaitsElsewhere(x: Tensor<"f32", 1>, out: Tensor<"f32", 1>, broken: Static<boolean>) {
    const t = threadIdx.x;
    const v = x[t]!;
    let any = true;
    if (!broken) any = warp.any(v > 0);
    else if (v >= 0) any = warp.any(v > 0); // reported: W9001
    syncThreads(); // or: W9001
    out[t] = any ? v : f32(0);
  },
);

/** A warp stays out of the sum of its block, and ends. */
const warpStaysOut = kernel(
  { block: 96, grid: 1 },
  function warpStaysOut(takes: Tensor<"i32", 1>, out: Tensor<"f32", 1>, broken: Static<boolean>) {
    const t = threadIdx.x;
    const part = takes[warp.index]! !== 0;
    if (broken) {
      if (part) out[t] = block.sum(f32(t)); // reported: W9209
    } else {
      const sum = block.sum(part ? f32(t) : f32(0));
      if (part) out[t] = sum;
    }
  },
);

/** The same in a warpgroup, whose barrier counts 128 threads whether they have ended or not. */
const warpLeavesItsGroup = kernel(
  { block: 128, grid: 1 },
  function warpLeavesItsGroup(takes: Tensor<"i32", 1>, out: Tensor<"f32", 1>, broken: Static<boolean>) {
    const t = threadIdx.x;
    const part = takes[warp.index]! !== 0;
    if (broken && !part) return;
    const most = warpgroup.max(part ? f32(t) : f32(0)); // reported: W9001
    if (part) out[t] = most;
  },
);

/** One block of a cluster stays out. */
const blockStaysOut = kernel(
  { block: 32, grid: 2, cluster: 2 },
  function blockStaysOut(takes: Tensor<"i32", 1>, out: Tensor<"f32", 1>, broken: Static<boolean>) {
    const t = threadIdx.x;
    const part = takes[cluster.rank]! !== 0;
    if (broken && !part) return;
    const sum = cluster.sum(part ? f32(t) : f32(0)); // reported: W9217
    if (part) out[t] = sum;
  },
);

/** A warp's sum passes on nothing that other warps have written; the block's does, as its threads meet. */
const sumIsNoBarrier = kernel({ block: 64, grid: 1 }, function sumIsNoBarrier(out: Tensor<"i32", 1>, broken: Static<boolean>) {
  const t = threadIdx.x;
  const cells = sharedMemory.alloc("i32", [64]);
  cells.at(t).store(t); // the other side
  const sum = broken ? warp.sum(t - t) : block.sum(t - t);
  out[t] = cells.at(63 - t).load() + sum; // reported: W9201 or W9209
});

/** All lanes come to a barrier of half of them. */
const laneOutsideTheMask = kernel(
  { block: 32, grid: 1 },
  function laneOutsideTheMask(out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const t = threadIdx.x;
    const cells = sharedMemory.alloc("i32", [32]);
    cells.at(t).store(t);
    syncWarp(broken ? 0xffff : 0xffffffff); // reported: W9245
    out[t] = cells.at(31 - t).load();
  },
);

const signs = count(32).map((i) => (i % 3 === 0 ? -1 : i));
const untouched = (n: number): { initial: number[] } => ({ initial: new Array<number>(n).fill(-9) });
const where = (keep: readonly boolean[], value: (i: number) => number): number[] => keep.map((k, i) => (k ? value(i) : -9));
const left = signs.map((v) => v >= 0);
const total = signs.reduce((a, v) => a + Math.max(v, 0), 0);
const warpsOf = (takes: readonly number[]): boolean[] => takes.flatMap((take) => new Array<boolean>(32).fill(take !== 0));
const sumOf = (keep: readonly boolean[]): number => keep.reduce((a, k, i) => a + (k ? i : 0), 0);

const takesOf = (takes: readonly number[], value: (i: number) => number) => () => {
  const keep = warpsOf(takes);
  return [input("i32", [takes.length], takes), output("f32", [keep.length], where(keep, value), untouched(keep.length))];
};

/** The sums of three warps, of which a warp takes one too many. Lanes read what nobody has written, and do not use it. */
const sumOfSums = kernel({ block: 96, grid: 1 }, function sumOfSums(y: Tensor<"f32", 1>, broken: Static<boolean>) {
  const sums = sharedMemory.alloc("f32", [32]);
  const own = warp.sum(f32(threadIdx.x));
  if (warp.lane === 0) sums[warp.index] = own;
  syncThreads();
  const all = sums[warp.lane]!; // reported: W9209
  y[threadIdx.x] = warp.sum(warp.lane < (broken ? 4 : 3) ? all : 0);
});

export const collectives: readonly Hazard[] = [
  kernelHazard({
    name: "collectives/lane-ended",
    classes: [72],
    file,
    kernel: laneEnded,
    args: () => [
      input("f32", [32], signs),
      output(
        "f32",
        [32],
        where(left, (i) => signs[i ^ 16] ?? 0),
        untouched(32),
      ),
    ],
  }),
  kernelHazard({
    name: "collectives/lane-not-there",
    classes: [72],
    file,
    kernel: laneNotThere,
    args: () => [
      input("f32", [48], count(48)),
      output(
        "f32",
        [48],
        count(48).map((t) => (t < 32 ? 15 : 47)),
      ),
    ],
  }),
  kernelHazard({
    name: "collectives/sum-of-those-left",
    classes: [72],
    file,
    kernel: sumOfThoseLeft,
    args: () => [
      input("f32", [32], signs),
      output(
        "f32",
        [32],
        where(left, () => total),
        untouched(32),
      ),
    ],
  }),
  kernelHazard({
    name: "collectives/lane-waits-elsewhere",
    classes: [73],
    file,
    kernel: laneWaitsElsewhere,
    args: () => [input("f32", [32], signs), output("f32", [32], signs)],
  }),
  kernelHazard({
    name: "collectives/warp-stays-out",
    classes: [73],
    file,
    kernel: warpStaysOut,
    args: takesOf([1, 0, 1], () => sumOf(warpsOf([1, 0, 1]))),
  }),
  kernelHazard({
    name: "collectives/warp-leaves-its-group",
    classes: [73],
    file,
    kernel: warpLeavesItsGroup,
    args: takesOf([1, 1, 0, 1], () => 127),
  }),
  kernelHazard({
    name: "collectives/block-stays-out",
    classes: [73],
    file,
    kernel: blockStaysOut,
    args: () => [input("i32", [2], [1, 0]), output("f32", [32], new Array<number>(32).fill((31 * 32) / 2))],
  }),
  kernelHazard({
    name: "collectives/sum-is-no-barrier",
    classes: [73],
    file,
    kernel: sumIsNoBarrier,
    eitherSide: true,
    args: () => [output("i32", [64], count(64).toReversed())],
  }),
  kernelHazard({
    name: "collectives/lane-outside-the-mask",
    classes: [75],
    file,
    kernel: laneOutsideTheMask,
    args: () => [output("i32", [32], count(32).toReversed())],
  }),
  kernelHazard({
    name: "collectives/sum-of-one-too-many",
    classes: [26],
    file,
    kernel: sumOfSums,
    args: () => [output("f32", [96], new Array<number>(96).fill((95 * 96) / 2))],
  }),
];
