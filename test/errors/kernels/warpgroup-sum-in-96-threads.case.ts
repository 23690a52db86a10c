// Sums over a warpgroup, which 96 threads are not.
import { kernel, type Tensor, tensorSpec, threadIdx, warpgroup } from "warpsmith";

const wrong = kernel({ block: 96, grid: 1 }, function wrong(x: Tensor<"f32", 1>) {
  x[threadIdx.x] = warpgroup.sum(x[threadIdx.x]!); // error: W6505
});

export const run = () => wrong.compile(tensorSpec("f32", [96]));
