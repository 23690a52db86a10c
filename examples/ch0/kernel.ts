import { kernel, threadIdx, type i32 } from "warpsmith";

/** Four threads, one after another in one block, each say what they have. */
export const hello = kernel({ block: 4, grid: 1 }, function hello(alpha: i32) {
  console.log("GPU thread", threadIdx.x, "has", alpha + threadIdx.x);
});
