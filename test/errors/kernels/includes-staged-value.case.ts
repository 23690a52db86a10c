// Asks whether an array includes a staged value.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  if ([1, 2, 3].includes(n[threadIdx.x])) n[threadIdx.x] = 0; // error: W2035
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
