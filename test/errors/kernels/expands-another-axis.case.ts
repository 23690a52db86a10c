// Puts back another dimension than the one that a sum has taken away.
import { BlockedLayout, kernel, type Tensor, tensorSpec, tile } from "warpsmith";

const rows = new BlockedLayout({ perThread: [1, 4], threads: [2, 16], warps: [4, 1] });

const wrong = kernel({ block: 128, grid: 1 }, function wrong(x: Tensor<"f32", 2>) {
  const t = x.loadTile([0, 0], [32, 64], rows);
  x.storeTile([0, 0], t - tile.expand(tile.sum(t, 1), 0)); // error: W6211
});

export const run = () => wrong.compile(tensorSpec("f32", [32, 64]));
