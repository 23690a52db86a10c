// Takes a random number while the kernel is traced.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  if (Math.random() > 0.5) n[threadIdx.x] = 1; // error: W2036
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
