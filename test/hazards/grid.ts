/** Blocks of a cooperative launch that wait for each other. */

import type { Static, Tensor } from "warpsmith";
import { blockIdx, fence, grid, gridDim, kernel, Mbarriers, sharedMemory, syncThreads, threadIdx, tma } from "warpsmith";
import { output } from "../cases/case.ts";
import { type Hazard, kernelHazard } from "./hazard.ts";
import { count } from "./parts.ts";

const file = import.meta.filename;

/** Each block reads what the next one has written. */
const noBarrierOfTheGrid = kernel(
  { block: 32, grid: 4, cooperative: true },
  function noBarrierOfTheGrid(x: Tensor<"i32", 1>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    x[32 * blockIdx.x + threadIdx.x] = blockIdx.x; // the other side
    if (broken) syncThreads();
    else grid.sync();
    out[32 * blockIdx.x + threadIdx.x] = x[32 * ((blockIdx.x + 1) % 4) + threadIdx.x]!; // reported: W9201
  },
);

/** The barrier passes on ordinary stores; a bulk copy takes a proxy fence behind it. */
const bulkCopyBehindTheGrid = kernel(
  { block: 32, grid: 4, cooperative: true },
  function bulkCopyBehindTheGrid(x: Tensor<"i32", 2>, out: Tensor<"i32", 2>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [32]);
    const bar = new Mbarriers(1).at(0);
    const one = threadIdx.x === 0;
    if (one) {
      bar.init(1);
      fence.mbarrierInit();
    }
    x.at(blockIdx.x, threadIdx.x).store(blockIdx.x); // the other side
    if (!broken) fence.proxyAsync();
    grid.sync();
    if (!broken) fence.proxyAsync();
    if (one) {
      bar.arrive({ tx: row.bytes });
      tma.bulkLoad(row, x.at((blockIdx.x + 1) % gridDim.x), bar); // reported: W9202
    }
    bar.wait(false);
    out.at(blockIdx.x, threadIdx.x).store(row[threadIdx.x]!);
  },
);

const blocks = count(128).map((i) => i >> 5);
const next = blocks.map((b) => (b + 1) % 4);

export const gridHazards: readonly Hazard[] = [
  kernelHazard({
    name: "grid/no-barrier",
    classes: [64],
    eitherSide: true,
    file,
    kernel: noBarrierOfTheGrid,
    args: () => [output("i32", [128], blocks), output("i32", [128], next)],
  }),
  kernelHazard({
    name: "grid/no-proxy-fence",
    classes: [31],
    file,
    kernel: bulkCopyBehindTheGrid,
    args: () => [output("i32", [4, 32], blocks), output("i32", [4, 32], next)],
  }),
];
