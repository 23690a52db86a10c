// A tile with 48 columns.
import { BlockedLayout, kernel, type Tensor, tensorSpec } from "warpsmith";

const rows = new BlockedLayout({ perThread: [1, 4], threads: [2, 16], warps: [4, 1] });

const wrong = kernel({ block: 128, grid: 1 }, function wrong(x: Tensor<"f32", 2>) {
  x.storeTile([0, 0], x.loadTile([0, 0], [32, 48], rows)); // error: W6210
});

export const run = () => wrong.compile(tensorSpec("f32", [32, 64]));
