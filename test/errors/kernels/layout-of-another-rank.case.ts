// A layout of two dimensions for a row.
import { BlockedLayout, kernel, type Tensor, tensorSpec } from "warpsmith";

const rows = new BlockedLayout({ perThread: [1, 4], threads: [2, 16], warps: [4, 1] });

const wrong = kernel({ block: 128, grid: 1 }, function wrong(x: Tensor<"f32", 1>) {
  x.storeTile([0], x.loadTile([0], [64], rows)); // error: W6205
});

export const run = () => wrong.compile(tensorSpec("f32", [64]));
