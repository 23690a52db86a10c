// Shifts a 64-bit integer with `>>>`.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i64", 1>) {
  n[threadIdx.x] = n[threadIdx.x] >>> 3n; // error: W2013
});

export const run = () => wrong.compile(tensorSpec("i64", [128]));
