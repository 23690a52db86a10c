// Sums along the rows, which lie in several warps.
import { kernel, type Tensor, tensorSpec, tile, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 128, grid: 1 }, function wrong(x: Tensor<"f32", 2>, d: Tensor<"f32", 1>) {
  tile.sum(WGMMAMatrix.load(x), 0).store(d); // error: W6129
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 64]), tensorSpec("f32", [64]));
