// Forgets to assign the result of `mma`.
import { kernel, sharedMemory, type Tensor, tensorSpec, wgmma, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(d: Tensor<"f32", 2>) {
  const a = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
  const b = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
  const A = WGMMAMatrix.descriptor(a, [64, 64]);
  const B = WGMMAMatrix.descriptor(b, [64, 64]);
  let D = WGMMAMatrix.accumulator("f32", [64, 64]);
  D.mma(A, B); // error: W2044
  wgmma.wait(0);
  D.store(d);
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 64]));
