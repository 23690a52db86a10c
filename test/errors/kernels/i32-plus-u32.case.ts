// Adds an i32 and a u32.
import { kernel, type Tensor, tensorSpec, threadIdx, type u32 } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>, count: u32) {
  n[threadIdx.x] = n[threadIdx.x] + count; // error: W2003
});

export const run = () => wrong.compile(tensorSpec("i32", [128]), 1);
