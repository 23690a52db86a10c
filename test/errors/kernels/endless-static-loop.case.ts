// Loops for ever while the kernel is traced.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  let i = 0;
  while (true) { // error: W2030
    n[threadIdx.x] = i;
  }
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
