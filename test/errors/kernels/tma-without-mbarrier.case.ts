// Leaves out the mbarrier of a load.
import { kernel, sharedMemory, type Tensor, tensorSpec, TMA } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(a: TMA<"f16", 2>, x: Tensor<"f32", 1>) {
  const tile = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
  a.load(tile, [0, 0]); // error: W4517
  x[0] = 1;
});

export const run = () => wrong.compile(new TMA(tensorSpec("f16", [256, 256]), { box: [64, 64], swizzle: "128B" }), tensorSpec("f32", [128]));
