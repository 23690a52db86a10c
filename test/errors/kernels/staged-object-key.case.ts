// Computes a key of an object literal from a thread index.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  const o = { [threadIdx.x]: 1 }; // error: W2041
  n[0] = Object.keys(o).length;
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
