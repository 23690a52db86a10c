// Loads a tile of a tensor with three dimensions.
import { kernel, type Tensor, tensorSpec, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 128, grid: 1 }, function wrong(x: Tensor<"f32", 3>, d: Tensor<"f32", 2>) {
  const X = WGMMAMatrix.load(x as never); // error: W6125
  X.store(d);
});

export const run = () => wrong.compile(tensorSpec("f32", [2, 64, 64]), tensorSpec("f32", [64, 64]));
