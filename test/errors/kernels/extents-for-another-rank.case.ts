// Gives three extents to a map of a matrix.
import { kernel, type Tensor, TMA, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(a: TMA<"f16", 2>, room: Tensor<"u8", 1>) {
  a.at(room).replace({ shape: [2, 64, 64] }); // error: W4522
});

export const run = () => wrong.compile(new TMA(tensorSpec("f16", [64, 64]), { box: [8, 64] }), tensorSpec("u8", [128]));
