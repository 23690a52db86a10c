// Leaves a parameter a bare `bigint`.
import { kernel, type Tensor, threadIdx } from "warpsmith";

export const run = () =>
  kernel({ block: 128 }, function wrong(n: Tensor<"i64", 1>, count: bigint) { // error: W7506
    n[threadIdx.x] = count;
  });
