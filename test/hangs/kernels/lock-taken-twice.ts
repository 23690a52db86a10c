// A function that takes the lock is called by one that has it.
import { kernel, type Tensor, threadIdx } from "warpsmith";
import { output } from "../../cases/case.ts";
import { hang } from "../hang.ts";

function add(lock: Tensor<"u32", 1>, total: Tensor<"i32", 1>, value: number): void {
  "use kernel";
  while (lock.at(1).compareAndSwap(0, 1, { order: "acquire" }) !== 0) {} // hangs
  total[0] = total[0]! + value;
  lock.at(1).storeRelease(0);
}

function addBoth(lock: Tensor<"u32", 1>, total: Tensor<"i32", 1>, value: number): void {
  "use kernel";
  while (lock.at(1).compareAndSwap(0, 1, { order: "acquire" }) !== 0) {}
  add(lock, total, value);
  total[1] = total[1]! + value;
  lock.at(1).storeRelease(0);
}

const tally = kernel({ block: 64, grid: 1 }, function tally(lock: Tensor<"u32", 1>, total: Tensor<"i32", 1>) {
  if (threadIdx.x === 0) addBoth(lock, total, 5);
});

export const lockTakenTwice = hang({
  name: "lock-taken-twice",
  file: import.meta.filename,
  kernel: tally,
  args: [output("u32", [2], [0, 0], { initial: [0, 0] }), output("i32", [2], [5, 5], { initial: [0, 0] })],
  code: "W9004",
  finds: [/finds 1\b/, /element 1 of lock/],
});
