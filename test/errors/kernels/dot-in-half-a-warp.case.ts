// Multiplies in half of a warp.
import { DotOperandLayout, kernel, MMALayout, type Tensor, tensorSpec, threadIdx, tile } from "warpsmith";

const parent = new MMALayout({ warps: [1, 1] });

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"f16", 2>, d: Tensor<"f32", 2>) {
  const a = x.loadTile([0, 0], [16, 16], new DotOperandLayout({ parent, operand: "A", kWidth: 2 }));
  const b = x.loadTile([0, 0], [16, 16], new DotOperandLayout({ parent, operand: "B", kWidth: 2 }));
  let sums = tile.full([16, 16], 0, parent);
  if (threadIdx.x < 16) sums = tile.dot(a, b, sums); // error: W2048
  d.storeTile([0, 0], sums);
});

export const run = () => wrong.compile(tensorSpec("f16", [16, 16]), tensorSpec("f32", [16, 16]));
