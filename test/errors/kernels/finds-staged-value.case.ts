// Searches an array by a staged predicate.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  const values = [n[0], n[1], n[2]];
  n[threadIdx.x] = values.findIndex((v) => v === 0); // error: W2035
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
