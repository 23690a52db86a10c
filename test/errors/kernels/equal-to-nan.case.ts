// Compares with NaN.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  // @ts-expect-error: it is always false
  if (x[threadIdx.x] === NaN) x[threadIdx.x] = 0; // error: W2081
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
