// Adds products to a tile in another layout.
import { BlockedLayout, DotOperandLayout, kernel, MMALayout, type Tensor, tensorSpec, tile } from "warpsmith";

const parent = new MMALayout({ warps: [1, 1] });
const rows = new BlockedLayout({ perThread: [1, 4], threads: [8, 4], warps: [1, 1] });

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"f16", 2>, d: Tensor<"f32", 2>) {
  const a = x.loadTile([0, 0], [16, 16], new DotOperandLayout({ parent, operand: "A", kWidth: 2 }));
  const b = x.loadTile([0, 0], [16, 16], new DotOperandLayout({ parent, operand: "B", kWidth: 2 }));
  d.storeTile([0, 0], tile.dot(a, b, d.loadTile([0, 0], [16, 16], rows))); // error: W6213
});

export const run = () => wrong.compile(tensorSpec("f16", [16, 16]), tensorSpec("f32", [16, 16]));
