// Votes where all but one thread of the warp have returned.
import { kernel, type Tensor, tensorSpec, threadIdx, warp } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"i32", 1>, y: Tensor<"u32", 1>) {
  if (threadIdx.x !== 0) return;
  y[0] = warp.ballot(x[0] > 0); // error: W2048
});

export const run = () => wrong.compile(tensorSpec("i32", [128]), tensorSpec("u32", [128]));
