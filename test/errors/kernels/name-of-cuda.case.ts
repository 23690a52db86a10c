// Calls a barrier by CUDA's name.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

declare function __syncthreads(): void;

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  x[threadIdx.x] = 1;
  __syncthreads(); // error: W2083
  x[0] = 2;
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
