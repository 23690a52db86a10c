// Asks for 300 registers per thread.
import { kernel, type Tensor, threadIdx } from "warpsmith";

export const run = () =>
  kernel({ block: 128, registers: 300 }, function wrong(x: Tensor<"f32", 1>) { // error: W7511
    x[threadIdx.x] = 1;
  });
