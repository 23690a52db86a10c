// Negates an accumulator with an operator, of which JavaScript makes NaN.
import { kernel, type Tensor, tensorSpec, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 128, grid: 1 }, function wrong(x: Tensor<"f32", 1>) {
  const D: number = WGMMAMatrix.accumulator("f32", [64, 64]) as never;
  x[0] = -D; // error: W2009
});

export const run = () => wrong.compile(tensorSpec("f32", [1]));
