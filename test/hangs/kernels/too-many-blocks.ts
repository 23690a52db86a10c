// A barrier of the grid by hand, and more blocks than are on the GPU at a time: those that wait keep the last ones out.
import { blockIdx, gridDim, kernel, sharedMemory, syncThreads, type Tensor, threadIdx } from "warpsmith";
import { output } from "../../cases/case.ts";
import { count } from "../../hazards/parts.ts";
import { hang } from "../hang.ts";

/** More than any multiprocessor of the kind has: 132 of them, one block each. */
const blocks = 140;

const neighbours = kernel(
  { block: 32, grid: blocks },
  function neighbours(arrived: Tensor<"i32", 1>, x: Tensor<"i32", 1>, out: Tensor<"i32", 1>) {
    const scratch = sharedMemory.alloc("i32", [50_000]);
    if (threadIdx.x === 0) {
      scratch[0] = 2 * blockIdx.x;
      x[blockIdx.x] = scratch[0]!;
      arrived.at(0).atomic("add", 1, { order: "release" });
      while (arrived.at(0).loadAcquire() < gridDim.x) {} // hangs
    }
    syncThreads(); // hangs on the emulator
    if (threadIdx.x === 0) out[blockIdx.x] = x[(blockIdx.x + 1) % blocks]!;
  },
);

export const tooManyBlocks = hang({
  name: "too-many-blocks",
  file: import.meta.filename,
  kernel: neighbours,
  args: [
    output("i32", [1], [blocks], { initial: [0] }),
    output(
      "i32",
      [blocks],
      count(blocks).map((b) => 2 * b),
    ),
    output(
      "i32",
      [blocks],
      count(blocks).map((b) => 2 * ((b + 1) % blocks)),
    ),
  ],
  code: "W9004",
  finds: [/finds 132\b/, /element 0 of arrived/],
});
