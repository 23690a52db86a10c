// Chooses a stage that is not there.
import { kernel, sharedMemory, type Tensor, tensorSpec, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(d: Tensor<"f32", 2>) {
  const a = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
  const b = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
  const tiles = sharedMemory.alloc("f16", [4, 64, 64], { swizzle: "128B" });
  const A = WGMMAMatrix.descriptor(tiles, [64, 64]).at(4); // error: W6109
  d[0][0] = 0;
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 64]));
