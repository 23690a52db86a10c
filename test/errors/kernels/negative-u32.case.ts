// Negates a u32.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"u32", 1>) {
  n[threadIdx.x] = -n[threadIdx.x]; // error: W2012
});

export const run = () => wrong.compile(tensorSpec("u32", [128]));
