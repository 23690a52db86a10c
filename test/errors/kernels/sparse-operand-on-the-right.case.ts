// A sparse matrix as the right operand.
import { kernel, sharedMemory, type Tensor, tensorSpec, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(metadata: Tensor<"u16", 2>, d: Tensor<"f32", 2>) {
  const a = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
  const A = WGMMAMatrix.descriptor(a, [64, 64]);
  let D = WGMMAMatrix.accumulator("f32", [64, 64]);
  D = D.mma(A, WGMMAMatrix.sparse(a, metadata), { wait: 0 }); // error: W6124
  D.store(d);
});

export const run = () => wrong.compile(tensorSpec("u16", [64, 8]), tensorSpec("f32", [64, 64]));
