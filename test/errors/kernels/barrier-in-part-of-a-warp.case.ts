// Lets 48 threads, a warp and a half, wait for the block.
import { kernel, syncThreads, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  if (threadIdx.x < 48) syncThreads(); // error: W2048
  x[threadIdx.x] = 1;
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
