// Sorts staged values.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  const values = [n[0], n[1], n[2]];
  values.sort((a, b) => a - b); // error: W2035
  n[threadIdx.x] = values[0];
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
