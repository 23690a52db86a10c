// Gives a thread index to an ordinary function.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const double = (v: number) => v * 2;

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  n[threadIdx.x] = double(threadIdx.x); // error: W2034
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
