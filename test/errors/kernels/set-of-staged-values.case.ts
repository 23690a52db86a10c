// A Set would tell values of the GPU apart when it is made.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

export const run = () =>
  kernel({ block: 32 }, function distinct(x: Tensor<"i32", 1>) {
    x[0] = new Set([x[1], threadIdx.x]).size; // error: W2041
  }).compile(tensorSpec("i32", [32]));
