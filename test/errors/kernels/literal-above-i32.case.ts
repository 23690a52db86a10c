// Compares an i32 with a number that no i32 holds.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  if (n[threadIdx.x] < 4294967296) n[threadIdx.x] = 0; // error: W2004
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
