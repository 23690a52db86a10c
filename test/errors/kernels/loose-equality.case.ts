// Compares with `==`.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  if (n[threadIdx.x] == 0) n[threadIdx.x] = 1; // error: W2007
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
