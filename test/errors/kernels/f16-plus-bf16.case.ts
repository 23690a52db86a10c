// Adds an f16 and a bf16.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(a: Tensor<"f16", 1>, b: Tensor<"bf16", 1>) {
  a[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]; // error: W2003
});

export const run = () => wrong.compile(tensorSpec("f16", [128]), tensorSpec("bf16", [128]));
