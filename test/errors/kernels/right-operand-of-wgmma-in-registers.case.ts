// A right operand of wgmma in registers.
import { DotOperandLayout, kernel, type Tensor, tensorSpec, WGMMALayout } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f16", 2>) {
  const layout = new DotOperandLayout({ parent: new WGMMALayout(), operand: "B", kWidth: 2 }); // error: W6203
  x.storeTile([0, 0], x.loadTile([0, 0], [64, 64], layout));
});

export const run = () => wrong.compile(tensorSpec("f16", [64, 64]));
