// Reads a field of `this` in a kernel.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(this: { n: number }, x: Tensor<"f32", 1>) {
  x[threadIdx.x] = this.n; // error: W1011
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
