// Stores into a JavaScript array at a thread index.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  const table = [0, 0, 0, 0];
  table[threadIdx.x] = 1; // error: W2039
  n[0] = table[0];
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
