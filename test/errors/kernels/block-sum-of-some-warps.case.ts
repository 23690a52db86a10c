// Sums over the block, after some of its warps have ended.
import { block, kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 256, grid: 1 }, function wrong(x: Tensor<"f32", 1>) {
  if (threadIdx.x >= 224) return;
  x[threadIdx.x] = block.sum(x[threadIdx.x]!); // error: W2048
});

export const run = () => wrong.compile(tensorSpec("f32", [256]));
