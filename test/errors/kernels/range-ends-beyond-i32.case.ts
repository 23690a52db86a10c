// Counts in steps up to the greatest i32, so that the number after the last one is none.
import { kernel, range, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"i32", 1>) {
  for (const i of range(2147483600, 2147483647, 10)) { // error: W2079
    x[i % 32] = i;
  }
});

export const run = () => wrong.compile(tensorSpec("i32", [32]));
