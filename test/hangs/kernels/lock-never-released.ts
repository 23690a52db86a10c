// A block leaves early with the lock in its hand.
import { blockIdx, kernel, type Tensor, threadIdx } from "warpsmith";
import { input, output } from "../../cases/case.ts";
import { hang } from "../hang.ts";

function take(lock: Tensor<"u32", 1>): void {
  "use kernel";
  while (lock.at(0).compareAndSwap(0, 1, { order: "acquire" }) !== 0) {} // hangs
}

const append = kernel(
  { block: 32, grid: 8 },
  function append(values: Tensor<"i32", 1>, lock: Tensor<"u32", 1>, length: Tensor<"i32", 1>, list: Tensor<"i32", 1>) {
    if (threadIdx.x !== 0) return;
    take(lock);
    const value = values[blockIdx.x]!;
    if (value < 0) return;
    const at = length[0]!;
    list[at] = value;
    length[0] = at + 1;
    lock.at(0).storeRelease(0);
  },
);

export const lockNeverReleased = hang({
  name: "lock-never-released",
  file: import.meta.filename,
  kernel: append,
  args: [
    input("i32", [8], [-1, -1, -1, -1, -1, -1, -1, -1]),
    output("u32", [1], [0], { initial: [0] }),
    output("i32", [1], [0], { initial: [0] }),
    output("i32", [8], [0, 0, 0, 0, 0, 0, 0, 0], { initial: [0, 0, 0, 0, 0, 0, 0, 0] }),
  ],
  code: "W9004",
  finds: [/finds 1\b/, /element 0 of lock/],
});
