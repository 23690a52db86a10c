// Each block waits for the one before it; the first one, too.
import { blockIdx, kernel, type Tensor, threadIdx } from "warpsmith";
import { input, output } from "../../cases/case.ts";
import { hang } from "../hang.ts";

const prefixSum = kernel(
  { block: 32, grid: 4 },
  function prefixSum(x: Tensor<"i32", 1>, flags: Tensor<"u32", 1>, sums: Tensor<"i32", 1>) {
    if (threadIdx.x === 0) {
      while (flags.at(blockIdx.x).loadAcquire() === 0) {} // hangs
      sums[blockIdx.x + 1] = sums[blockIdx.x]! + x[blockIdx.x]!;
      flags.at(blockIdx.x + 1).storeRelease(1);
    }
  },
);

export const flagNobodySets = hang({
  name: "flag-nobody-sets",
  file: import.meta.filename,
  kernel: prefixSum,
  args: [
    input("i32", [4], [1, 2, 3, 4]),
    output("u32", [5], [1, 1, 1, 1, 1], { initial: [0, 0, 0, 0, 0] }),
    output("i32", [5], [0, 1, 3, 6, 10], { initial: [0, 0, 0, 0, 0] }),
  ],
  code: "W9004",
  finds: [/finds 0\b/, /of flags/],
});
