// Lets one thread wait for the block.
import { kernel, syncThreads, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  if (threadIdx.x === 0) {
    x[0] = 1;
    syncThreads(); // error: W2048
  }
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
