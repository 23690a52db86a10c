// Writes a range test as in mathematics.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  const i = threadIdx.x;
  if (0 <= i < 64) x[i] = 1; // error: W1007
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
