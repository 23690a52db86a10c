// Leaves out an argument of Math.pow.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  x[threadIdx.x] = Math.pow(x[threadIdx.x]); // error: W2704
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
