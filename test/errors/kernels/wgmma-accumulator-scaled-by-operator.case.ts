// Scales an accumulator with an operator.
import { kernel, type Tensor, tensorSpec, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 128, grid: 1 }, function wrong(d: Tensor<"f32", 2>, by: Tensor<"f32", 1>) {
  let D: number = WGMMAMatrix.accumulator("f32", [64, 64]) as never;
  D *= by[0]; // error: W2009
  d[0][0] = D;
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 64]), tensorSpec("f32", [1]));
