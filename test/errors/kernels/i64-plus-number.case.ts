// Adds a number to a bigint.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i64", 1>) {
  n[threadIdx.x] = n[threadIdx.x] + 1; // error: W2004
});

export const run = () => wrong.compile(tensorSpec("i64", [128]));
