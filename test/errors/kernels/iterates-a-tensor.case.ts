// Iterates over a tensor.
import { kernel, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  let sum = 0;
  for (const v of n) sum += v; // error: W2031
  n[0] = sum;
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
