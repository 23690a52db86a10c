// Assigns where it means to compare.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  if ((x[threadIdx.x] = 1)) x[0] = 2;
  if (x[threadIdx.x] = 0) x[threadIdx.x] = 7; // error: W1024
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
