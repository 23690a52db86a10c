// Sums a tile where only some lanes of a warp come.
import { kernel, type Tensor, tensorSpec, threadIdx, tile, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 128, grid: 1 }, function wrong(x: Tensor<"f32", 2>, d: Tensor<"f32", 1>) {
  const X = WGMMAMatrix.load(x);
  if (threadIdx.x < 16) {
    d.storeTile([0], tile.sum(X, 1)); // error: W2048
  }
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 64]), tensorSpec("f32", [64]));
