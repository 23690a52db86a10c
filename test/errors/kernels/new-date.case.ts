// Makes a Date in a kernel.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  n[threadIdx.x] = new Date().getDay(); // error: W2036
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
