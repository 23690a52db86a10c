// Indexes a JavaScript array with a thread index.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  const table = [3, 1, 4, 1];
  n[threadIdx.x] = table[threadIdx.x]; // error: W2039
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
