// Divides two integers with `/`.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  n[threadIdx.x] = n[threadIdx.x] / 2; // error: W2005
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
