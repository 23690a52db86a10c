// Sums over the block wherever two values become one.
import { block, kernel, type Tensor, tensorSpec, threadIdx, warp } from "warpsmith";

const wrong = kernel({ block: 64, grid: 1 }, function wrong(x: Tensor<"f32", 1>) {
  x[threadIdx.x] = warp.reduce(x[threadIdx.x]!, (a, b) => a + block.sum(b)); // error: W6524
});

export const run = () => wrong.compile(tensorSpec("f32", [64]));
