// Appends to an array where the GPU decides.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  const found: number[] = [];
  if (n[threadIdx.x] > 0) found.push(threadIdx.x); // error: W2024
  n[0] = found.length;
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
