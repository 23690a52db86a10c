// Counts with a step of 0.
import { kernel, range, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  for (const i of range(0, 8, 0)) n[i] = 1; // error: W2028
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
