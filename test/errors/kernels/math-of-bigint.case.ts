// Takes the maximum of two bigints with Math.max.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i64", 1>) {
  n[threadIdx.x] = Math.max(n[threadIdx.x], 0n); // error: W2703
});

export const run = () => wrong.compile(tensorSpec("i64", [128]));
