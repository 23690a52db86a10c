// Leaves a parameter a bare `number`.
import { kernel, type Tensor, threadIdx } from "warpsmith";

export const run = () =>
  kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>, count: number) { // error: W7506
    n[threadIdx.x] = count;
  });
