// Multiplies f32 matrices.
import { kernel, sharedMemory, type Tensor, tensorSpec, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(d: Tensor<"f32", 2>) {
  const a = sharedMemory.alloc("f32", [64, 64], { swizzle: "128B" });
  const b = sharedMemory.alloc("f32", [64, 64], { swizzle: "128B" });
  const A = WGMMAMatrix.descriptor(a, [64, 64]); // error: W6102
  d[0][0] = a[0][0];
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 64]));
