// Expects to catch what fails on the GPU.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  try { // error: W1004
    x[threadIdx.x] = 1;
  } catch {
    x[0] = 0;
  }
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
