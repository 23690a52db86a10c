// Iterates over a count instead of a range.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  for (const i of threadIdx.x) n[i] = 1; // error: W2031
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
