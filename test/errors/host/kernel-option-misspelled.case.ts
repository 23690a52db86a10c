// Misspells an option of a kernel.
import { kernel, type Tensor, threadIdx } from "warpsmith";

export const run = () =>
  kernel({ block: 128, blocksPerSm: 2 }, function wrong(x: Tensor<"f32", 1>) { // error: W2601
    x[threadIdx.x] = 1;
  });
