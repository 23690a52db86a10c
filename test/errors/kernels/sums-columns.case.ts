// Sums along the rows, which lie in the four warps of each of two warpgroups that have a tile of their own.
import { kernel, type Tensor, tensorSpec, tile, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 256, grid: 1 }, function wrong(x: Tensor<"f32", 2>, d: Tensor<"f32", 1>) {
  d.storeTile([0], tile.sum(WGMMAMatrix.load(x), 0)); // error: W6209
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 64]), tensorSpec("f32", [64]));
