// Calls a kernel from a kernel.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const other = kernel({ block: 128 }, function other(n: Tensor<"i32", 1>) {
  n[threadIdx.x] = 1;
});

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  other(n); // error: W2033
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
