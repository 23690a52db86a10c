// Raises an integer to a power that only the GPU knows.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  const i = threadIdx.x;
  n[i] = n[i]! ** i; // error: W2706
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
