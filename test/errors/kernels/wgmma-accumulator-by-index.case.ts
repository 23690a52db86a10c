// Takes an element of an accumulator by index.
import { kernel, type Tensor, tensorSpec, threadIdx, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 128, grid: 1 }, function wrong(x: Tensor<"f32", 1>) {
  const D: readonly number[][] = WGMMAMatrix.accumulator("f32", [64, 64]) as never;
  x[threadIdx.x] = D[threadIdx.x][0]; // error: W2071
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
