// Turns a staged value into a string.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  const text = String(threadIdx.x); // error: W2035
  console.log(text);
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
