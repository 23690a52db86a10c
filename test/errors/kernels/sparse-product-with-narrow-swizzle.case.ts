// The right operand of a sparse product with a swizzle of 32 bytes.
import { kernel, sharedMemory, type Tensor, tensorSpec, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(metadata: Tensor<"u16", 2>, d: Tensor<"f32", 2>) {
  const a = sharedMemory.alloc("f16", [64, 16], { swizzle: "32B" });
  const b = sharedMemory.alloc("f16", [64, 32], { swizzle: "32B" });
  const B = WGMMAMatrix.descriptor(b.transpose(), [32, 64]);
  let D = WGMMAMatrix.accumulator("f32", [64, 64]);
  D = D.mma(WGMMAMatrix.sparse(a, metadata), B, { wait: 0 }); // error: W6128
  D.store(d);
});

export const run = () => wrong.compile(tensorSpec("u16", [64, 2]), tensorSpec("f32", [64, 64]));
