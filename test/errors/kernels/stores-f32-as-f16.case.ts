// Stores an f32 in a tensor of f16.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(h: Tensor<"f16", 1>, x: Tensor<"f32", 1>) {
  h[threadIdx.x] = x[threadIdx.x]; // error: W2010
});

export const run = () => wrong.compile(tensorSpec("f16", [128]), tensorSpec("f32", [128]));
