// Adds a comparison to a number, as in C.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  n[threadIdx.x] = n[threadIdx.x] + (threadIdx.x > 3); // error: W2006
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
