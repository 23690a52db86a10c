// The first launch waits for a flag of the second, which overlaps it but waits for its end before it sets the flag.
import { blockIdx, gridDependency, kernel, type Static, type Tensor, threadIdx } from "warpsmith";
import { output } from "../../cases/case.ts";
import { hang } from "../hang.ts";

const handOver = kernel(
  { block: 32, grid: 2 },
  function handOver(flag: Tensor<"u32", 1>, out: Tensor<"u32", 1>, second: Static<boolean>) {
    if (second) {
      gridDependency.wait();
      if (threadIdx.x === 0) flag.at(blockIdx.x).storeRelease(1);
    } else {
      gridDependency.launchDependents();
      while (flag.at(blockIdx.x).loadAcquire() === 0) {} // hangs
      out[32 * blockIdx.x + threadIdx.x] = 7;
    }
  },
);

const flag = output("u32", [2], [1, 1], { initial: [0, 0] });
const out = output("u32", [64], new Array<number>(64).fill(7));

export const primaryWaitsForSecondary = hang({
  name: "primary-waits-for-secondary",
  file: import.meta.filename,
  kernel: handOver,
  args: [flag, out, false],
  behind: [{ config: { overlapPrevious: true }, args: [flag, out, true] }],
  code: "W9004",
  finds: [/finds 0\b/, /of flag/],
});
