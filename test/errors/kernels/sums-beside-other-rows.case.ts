// Goes through a tile with the sums of another one, which has more rows.
import { kernel, type Tensor, tensorSpec, tile, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 128, grid: 1 }, function wrong(x: Tensor<"f32", 2>, y: Tensor<"f32", 2>, d: Tensor<"f32", 2>) {
  const sums = tile.expand(tile.sum(WGMMAMatrix.load(y), 1), 1);
  WGMMAMatrix.load(x)
    .zip(sums, (v, s) => v / s) // error: W6126
    .store(d);
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 64]), tensorSpec("f32", [128, 64]), tensorSpec("f32", [64, 64]));
