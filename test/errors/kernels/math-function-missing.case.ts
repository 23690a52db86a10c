// Uses a function of Math that the GPU does not have.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  x[threadIdx.x] = Math.clz32(x[threadIdx.x]); // error: W2011
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
