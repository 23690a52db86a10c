// Adds two tiles whose threads hold different elements.
import { BlockedLayout, kernel, type Tensor, tensorSpec } from "warpsmith";

const rows = new BlockedLayout({ perThread: [1, 4], threads: [2, 16], warps: [4, 1] });

const wrong = kernel({ block: 128, grid: 1 }, function wrong(x: Tensor<"f32", 2>) {
  const columns = new BlockedLayout({ perThread: [4, 1], threads: [8, 4], warps: [1, 4], order: [0, 1] });
  const [a, b] = [x.loadTile([0, 0], [32, 64], rows), x.loadTile([0, 0], [32, 64], columns)];
  x.storeTile([0, 0], a + b); // error: W6201
});

export const run = () => wrong.compile(tensorSpec("f32", [32, 64]));
