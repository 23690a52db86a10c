// Asks all lanes of a warp where some have left.
import { kernel, type Tensor, tensorSpec, threadIdx, warp } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"f32", 1>) {
  if (threadIdx.x === 31) return;
  if (warp.any(x[threadIdx.x]! > 0)) x[threadIdx.x] = 0; // error: W2048
});

export const run = () => wrong.compile(tensorSpec("f32", [32]));
