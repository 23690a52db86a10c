// Multiplies an i32 by 0.5.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  n[threadIdx.x] = n[threadIdx.x] * 0.5; // error: W2004
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
