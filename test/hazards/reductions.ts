/** Atomics that give nothing, and what else reads or writes the same memory. */
import { blockIdx, kernel, type Static, sharedMemory, syncThreads, type Tensor, threadIdx } from "warpsmith";
import { input, output } from "../cases/case.ts";
import { type Hazard, kernelHazard } from "./hazard.ts";
import { count, meet } from "./parts.ts";

const file = import.meta.filename;

/** Block 1 reads sums that block 0 is still adding to. */
const readWhileSummed = kernel(
  { block: 128, grid: 2 },
  function readWhileSummed(
    x: Tensor<"f32", 1>,
    sums: Tensor<"f32", 1>,
    out: Tensor<"f32", 1>,
    ready: Tensor<"i32", 1>,
    broken: Static<boolean>,
  ) {
    if (blockIdx.x === 0) sums.reduceTile("add", [0], x.loadTile([0], [512])); // the other side
    if (!broken) meet(ready, 2);
    if (blockIdx.x === 1) out[threadIdx.x] = sums[threadIdx.x]!; // reported: W9201
  },
);

/** Sums of several blocks are seen by these alone where the scope says so. */
const summedForTheBlock = kernel(
  { block: 128, grid: 2 },
  function summedForTheBlock(x: Tensor<"f32", 1>, sums: Tensor<"f32", 1>, broken: Static<boolean>) {
    const t = x.loadTile([0], [512]);
    sums.reduceTile("add", [0], t, { scope: broken ? "block" : "gpu" }); // reported: W9201
  },
);

/** A tile is added to shared memory while other threads still read what was there. */
const summedInShared = kernel(
  { block: 128, grid: 1 },
  function summedInShared(x: Tensor<"f32", 1>, out: Tensor<"f32", 1>, broken: Static<boolean>) {
    const s = sharedMemory.alloc("f32", [512]);
    const t = x.loadTile([0], [512]);
    s.store(t);
    syncThreads();
    const old = s[511 - threadIdx.x]!; // the other side
    if (!broken) syncThreads();
    s.reduce("add", t); // reported: W9201
    syncThreads();
    out[threadIdx.x] = s[threadIdx.x]! + 0 * old;
  },
);

const zeros = count(512).map(() => 0);

export const reductions: readonly Hazard[] = [
  kernelHazard({
    name: "reductions/summed-in-shared",
    classes: [14],
    eitherSide: true,
    file,
    kernel: summedInShared,
    args: () => [
      input("f32", [512], count(512)),
      output(
        "f32",
        [128],
        count(128).map((n) => 2 * n),
      ),
    ],
  }),
  kernelHazard({
    name: "reductions/read-while-summed",
    classes: [64],
    eitherSide: true,
    file,
    kernel: readWhileSummed,
    args: () => [
      input("f32", [512], count(512)),
      output("f32", [512], count(512), { initial: zeros }),
      output("f32", [128], count(128)),
      input("i32", [1], [0]),
    ],
  }),
  kernelHazard({
    name: "reductions/summed-for-the-block",
    classes: [64],
    eitherSide: true,
    file,
    kernel: summedForTheBlock,
    args: () => [
      input("f32", [512], count(512)),
      output(
        "f32",
        [512],
        count(512).map((n) => 2 * n),
        { initial: zeros },
      ),
    ],
  }),
];
