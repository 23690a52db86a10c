// Half of the warp reads lanes of the other half, which are not there.
import { kernel, type Tensor, tensorSpec, threadIdx, warp } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"f32", 1>) {
  if (threadIdx.x < 16) x[threadIdx.x] += warp.shuffleDown(x[threadIdx.x], 16); // error: W2048
});

export const run = () => wrong.compile(tensorSpec("f32", [32]));
