// Asks for the layout of a tile that the compiler has not chosen yet.
import { kernel, type Tensor, tensorSpec, tile } from "warpsmith";

const wrong = kernel({ block: 128, grid: 1 }, function wrong(x: Tensor<"f32", 2>) {
  const t = x.loadTile([0, 0], [32, 64]);
  const ones = tile.full([32, 64], 1, tile.info(t).layout); // error: W6217
  x.storeTile([0, 0], t + ones);
});

export const run = () => wrong.compile(tensorSpec("f32", [32, 64]));
