// Reads a variable that only one branch has assigned.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  let t: number;
  if (threadIdx.x < 64) t = x[threadIdx.x];
  x[threadIdx.x] = t; // error: W2020
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
