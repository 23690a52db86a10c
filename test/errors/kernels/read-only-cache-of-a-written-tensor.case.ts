// Loads by the cache of read-only data what the same kernel writes.
import { kernel, syncThreads, type Tensor, tensorSpec, threadIdx } from "warpsmith";

export const run = () =>
  kernel({ block: 64, grid: 1 }, function reverse(x: Tensor<"i32", 1>) {
    const last = x.at(63 - threadIdx.x).load({ cache: "nc" }); // error: W2064
    syncThreads();
    x[threadIdx.x] = last;
  }).compile(tensorSpec("i32", [64]));
