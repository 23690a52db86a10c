// Asks whether a row of a matrix is true, where one of its elements is meant.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 64 }, function wrong(x: Tensor<"f32", 2>, y: Tensor<"f32", 1>) {
  if (threadIdx.x > 3 && x[threadIdx.x]) y[threadIdx.x] = 1; // error: W2058
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 32]), tensorSpec("f32", [64]));
