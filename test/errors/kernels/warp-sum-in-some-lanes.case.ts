// Sums over a warp of which only some lanes come.
import { kernel, type Tensor, tensorSpec, threadIdx, warp } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"f32", 1>) {
  if (threadIdx.x < 20) {
    x[threadIdx.x] = warp.sum(x[threadIdx.x]!); // error: W2048
  }
});

export const run = () => wrong.compile(tensorSpec("f32", [32]));
