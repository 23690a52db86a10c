// Loads a swizzled box into a view without swizzle.
import { kernel, Mbarriers, sharedMemory, type Tensor, tensorSpec, TMA } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(a: TMA<"f16", 2>, x: Tensor<"f32", 1>) {
  const tile = sharedMemory.alloc("f16", [64, 64]);
  const bar = new Mbarriers(1).at(0);
  a.load(tile, bar, [0, 0]); // error: W4504
  x[0] = 1;
});

export const run = () => wrong.compile(new TMA(tensorSpec("f16", [256, 256]), { box: [64, 64], swizzle: "128B" }), tensorSpec("f32", [128]));
