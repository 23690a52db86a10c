// Half of 64 lanes away: a warp has 32.
import { kernel, type Tensor, tensorSpec, threadIdx, warp } from "warpsmith";

const wrong = kernel({ block: 64 }, function wrong(x: Tensor<"f32", 1>) {
  let sum = x[threadIdx.x];
  sum += warp.shuffleXor(sum, 32); // error: W6508
  x[threadIdx.x] = sum;
});

export const run = () => wrong.compile(tensorSpec("f32", [64]));
