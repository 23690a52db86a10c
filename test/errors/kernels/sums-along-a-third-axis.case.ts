// Sums along an axis that a tile has not.
import { kernel, type Tensor, tensorSpec, tile, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 128, grid: 1 }, function wrong(x: Tensor<"f32", 2>, d: Tensor<"f32", 1>) {
  d.storeTile([0], tile.sum(WGMMAMatrix.load(x), 2)); // error: W6207
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 64]), tensorSpec("f32", [64]));
