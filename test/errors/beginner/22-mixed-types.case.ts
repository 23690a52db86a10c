// Adds a thread index to an f32.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  x[threadIdx.x] = x[threadIdx.x] + threadIdx.x; // error: W2003
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
