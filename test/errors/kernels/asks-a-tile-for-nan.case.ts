// Asks JavaScript whether a tile is NaN.
import { BlockedLayout, kernel, type Tensor, tensorSpec } from "warpsmith";

const row = new BlockedLayout({ perThread: [4], threads: [32], warps: [4] });

const wrong = kernel({ block: 128, grid: 1 }, function wrong(x: Tensor<"f32", 1>) {
  const t = x.loadTile([0], [512], row);
  x.storeTile([0], Number.isNaN(t) ? 0 : t); // error: W2035
});

export const run = () => wrong.compile(tensorSpec("f32", [512]));
