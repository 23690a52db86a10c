// Takes the square root of an i32.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  n[threadIdx.x] = Math.sqrt(n[threadIdx.x]); // error: W2701
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
