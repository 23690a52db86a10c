// Loads into global memory.
import { kernel, Mbarriers, type Tensor, tensorSpec, TMA } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(a: TMA<"f16", 2>, x: Tensor<"f32", 1>) {
  const bar = new Mbarriers(1).at(0);
  a.load(x, bar, [0, 0]); // error: W4516
});

export const run = () => wrong.compile(new TMA(tensorSpec("f16", [256, 256]), { box: [64, 64], swizzle: "128B" }), tensorSpec("f32", [128]));
