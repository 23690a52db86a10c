// Has a K of 24.
import { kernel, sharedMemory, type Tensor, tensorSpec, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(d: Tensor<"f32", 2>) {
  const a = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
  const b = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
  const A = WGMMAMatrix.descriptor(a.subview([0, 0], [64, 24]), [64, 24]);
  const B = WGMMAMatrix.descriptor(b.subview([0, 0], [24, 64]), [24, 64]);
  let D = WGMMAMatrix.accumulator("f32", [64, 64]);
  D = D.mma(A, B, { wait: 0 }); // error: W6104
  D.store(d);
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 64]));
