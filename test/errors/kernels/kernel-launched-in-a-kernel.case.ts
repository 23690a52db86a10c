// Launches a kernel from a kernel.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const inner = kernel({ block: 32, grid: 1 }, function inner(x: Tensor<"f32", 1>) {
  x[threadIdx.x] = 1;
});

const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"f32", 1>) {
  inner.launch({}, x); // error: W2033
});

export const run = () => wrong.compile(tensorSpec("f32", [32]));
