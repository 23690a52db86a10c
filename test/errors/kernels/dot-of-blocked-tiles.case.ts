// Multiplies tiles that lie as they were loaded.
import { BlockedLayout, kernel, MMALayout, type Tensor, tensorSpec, tile } from "warpsmith";

const parent = new MMALayout({ warps: [1, 1] });
const rows = new BlockedLayout({ perThread: [1, 8], threads: [16, 2], warps: [1, 1] });

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"f16", 2>, d: Tensor<"f32", 2>) {
  const t = x.loadTile([0, 0], [16, 16], rows);
  d.storeTile([0, 0], tile.dot(t, t, tile.full([16, 16], 0, parent))); // error: W6213
});

export const run = () => wrong.compile(tensorSpec("f16", [16, 16]), tensorSpec("f32", [16, 16]));
