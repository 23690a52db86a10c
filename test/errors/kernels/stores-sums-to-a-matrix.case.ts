// Stores one number for each row to a matrix.
import { kernel, type Tensor, tensorSpec, tile, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 128, grid: 1 }, function wrong(x: Tensor<"f32", 2>, d: Tensor<"f32", 2>) {
  d.storeTile([0, 0], tile.sum(WGMMAMatrix.load(x), 1)); // error: W6119
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 64]), tensorSpec("f32", [64, 64]));
