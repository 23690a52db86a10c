// Wants the greatest element of a tile.
import { kernel, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128, grid: 1 }, function wrong(x: Tensor<"f32", 2>) {
  const t = x.loadTile([0, 0], [32, 64]);
  x.storeTile([0, 0], t - Math.max(t)); // error: W2705
});

export const run = () => wrong.compile(tensorSpec("f32", [32, 64]));
