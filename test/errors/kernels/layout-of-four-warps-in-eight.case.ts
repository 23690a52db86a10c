// A layout for four warps, in a block of eight.
import { BlockedLayout, kernel, type Tensor, tensorSpec } from "warpsmith";

const rows = new BlockedLayout({ perThread: [1, 4], threads: [2, 16], warps: [4, 1] });

const wrong = kernel({ block: 256, grid: 1 }, function wrong(x: Tensor<"f32", 2>) {
  x.storeTile([0, 0], x.loadTile([0, 0], [32, 64], rows)); // error: W6204
});

export const run = () => wrong.compile(tensorSpec("f32", [32, 64]));
