// Asks whether two parameters are one tensor.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>, y: Tensor<"f32", 1>) {
  if (x === y) return; // error: W2082
  y[threadIdx.x] = x[threadIdx.x];
});

export const run = () => wrong.compile(tensorSpec("f32", [128]), tensorSpec("f32", [128]));
