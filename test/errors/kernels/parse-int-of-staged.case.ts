// Hands a staged value to a JavaScript function that reads it.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  n[threadIdx.x] = parseInt(threadIdx.x); // error: W2034
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
