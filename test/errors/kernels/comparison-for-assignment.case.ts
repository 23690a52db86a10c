// Compares where it means to assign.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"f32", 1>) {
  let sum = x[threadIdx.x]!;
  if (threadIdx.x > 3) sum === 0; // error: W2044
  x[threadIdx.x] = sum;
});

export const run = () => wrong.compile(tensorSpec("f32", [32]));
