// Adds a tile to another one of fewer columns.
import { kernel, type Tensor, tensorSpec, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 128, grid: 1 }, function wrong(x: Tensor<"f32", 2>, d: Tensor<"f32", 2>) {
  const D = WGMMAMatrix.accumulator("f32", [64, 64]);
  D.zip(WGMMAMatrix.load(x), (v, y) => v + y).store(d); // error: W6126
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 32]), tensorSpec("f32", [64, 64]));
