// A sparse operand in registers of one warpgroup, for an accumulator of two.
import { kernel, sharedMemory, type Tensor, tensorSpec, WGMMALayout, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 256 }, function wrong(x: Tensor<"f16", 2>, metadata: Tensor<"u16", 2>, d: Tensor<"f32", 2>) {
  const b = sharedMemory.alloc("f16", [64, 128], { swizzle: "128B" });
  const A = WGMMAMatrix.sparse(x.loadTile([0, 0], [128, 64], new WGMMALayout()), metadata);
  let D = WGMMAMatrix.accumulator("f32", [128, 64], { warpgroups: 2 });
  D = D.mma(A, WGMMAMatrix.descriptor(b.transpose(), [128, 64]), { wait: 0 }); // error: W6127
  D.store(d);
});

export const run = () => wrong.compile(tensorSpec("f16", [128, 64]), tensorSpec("u16", [128, 8]), tensorSpec("f32", [128, 64]));
