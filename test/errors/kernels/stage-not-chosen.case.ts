// Multiplies stages without choosing one.
import { kernel, sharedMemory, type Tensor, tensorSpec, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(d: Tensor<"f32", 2>) {
  const a = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
  const b = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
  const tiles = sharedMemory.alloc("f16", [4, 64, 64], { swizzle: "128B" });
  const A = WGMMAMatrix.descriptor(tiles, [64, 64]);
  const B = WGMMAMatrix.descriptor(b, [64, 64]);
  let D = WGMMAMatrix.accumulator("f32", [64, 64]);
  D = D.mma(A, B, { wait: 0 }); // error: W6105
  D.store(d);
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 64]));
