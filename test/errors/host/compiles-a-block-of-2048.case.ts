// Compiles a kernel for a block of 2048 threads.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wide = kernel({ block: 2048 }, function wide(x: Tensor<"f32", 1>) {
  x[threadIdx.x] = 1;
});

export const run = () => wide.compile(tensorSpec("f32", [2048])); // error: W7017
