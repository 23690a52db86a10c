// Rows of f16 that would begin every 14 bytes.
import { kernel, type Tensor, TMA, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(a: TMA<"f16", 2>, room: Tensor<"u8", 1>) {
  a.at(room).replace({ strides: [7] }); // error: W3025
});

export const run = () => wrong.compile(new TMA(tensorSpec("f16", [64, 64]), { box: [8, 64] }), tensorSpec("u8", [128]));
