// Joins two comparisons by the operator of bits.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  const i = threadIdx.x;
  // @ts-expect-error: no numbers
  if ((i < 100) & (i > 2)) x[i] = 1; // error: W2006
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
