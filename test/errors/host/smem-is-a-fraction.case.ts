// Computes a fraction of bytes of shared memory.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128, smem: (x) => x.shape[0] / 3 }, function wrong(x: Tensor<"f32", 1>) {
  x[threadIdx.x] = 1;
});

export const run = () => wrong.compile(tensorSpec("f32", [128])); // error: W7511
