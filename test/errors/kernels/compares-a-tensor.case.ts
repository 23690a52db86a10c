// Compares a tensor with a number.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  if (x > 0) x[threadIdx.x] = 0; // error: W2009
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
