// Returns a result from a kernel.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) { // error: W2002
  return x[threadIdx.x];
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
