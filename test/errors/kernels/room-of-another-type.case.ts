// Gives a tensor map room in a tensor of words.
import { kernel, type Tensor, TMA, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(a: TMA<"f16", 2>, room: Tensor<"u32", 1>) {
  // @ts-expect-error: 128 bytes
  a.at(room); // error: W4521
});

export const run = () => wrong.compile(new TMA(tensorSpec("f16", [64, 64]), { box: [8, 64] }), tensorSpec("u32", [32]));
