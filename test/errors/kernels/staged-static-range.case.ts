// Unrolls up to a staged bound.
import { kernel, staticRange, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  for (const i of staticRange(threadIdx.x)) n[i] = 1; // error: W2029
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
