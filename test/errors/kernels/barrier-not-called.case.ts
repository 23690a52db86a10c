// Names a barrier, and does not call it.
import { kernel, syncThreads, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  x[threadIdx.x] = 1;
  syncThreads; // error: W2080
  x[0] = x[127];
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
