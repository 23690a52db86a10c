// Takes an extent of a vector that only a matrix has.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  // @ts-expect-error: a vector has one extent
  if (threadIdx.x < x.shape[1]) x[threadIdx.x] = 1; // error: W2009
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
