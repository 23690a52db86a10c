// Splits a tile whose pairs lie in two threads each.
import { BlockedLayout, kernel, type Tensor, tensorSpec, tile } from "warpsmith";

const rows = new BlockedLayout({ perThread: [1, 4], threads: [2, 16], warps: [4, 1] });

const wrong = kernel({ block: 128, grid: 1 }, function wrong(x: Tensor<"f32", 2>) {
  const t = x.loadTile([0, 0], [32, 64], rows);
  const pairs = tile.reshape(tile.transpose(t), [64, 16, 2]);
  const [a, b] = tile.split(pairs); // error: W6215
  void [a, b];
});

export const run = () => wrong.compile(tensorSpec("f32", [32, 64]));
