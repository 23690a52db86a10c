// Uses a tensor map of the host without passing it.
import { kernel, Mbarriers, sharedMemory, type Tensor, tensorSpec, TMA } from "warpsmith";

const map = new TMA(tensorSpec("f16", [256, 256]), { box: [64, 64], swizzle: "128B" });

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  const tile = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
  const bar = new Mbarriers(1).at(0);
  map.load(tile, bar, [0, 0]); // error: W4502
  x[0] = 1;
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
