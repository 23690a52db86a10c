// Multiplies in the first warp of the warpgroup.
import { kernel, sharedMemory, type Tensor, tensorSpec, WGMMAMatrix, warp } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(d: Tensor<"f32", 2>) {
  const a = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
  const b = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
  const A = WGMMAMatrix.descriptor(a, [64, 64]);
  const B = WGMMAMatrix.descriptor(b, [64, 64]);
  let D = WGMMAMatrix.accumulator("f32", [64, 64]);
  if (warp.index === 0) D = D.mma(A, B, { wait: 0 }); // error: W2048
  D.store(d);
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 64]));
