// Asks `Number.isNaN` of a staged value.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  n[threadIdx.x] = Number.isNaN(n[threadIdx.x]) ? 1 : 0; // error: W2035
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
