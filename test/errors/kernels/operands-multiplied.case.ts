// Multiplies two operands with an operator, as NVDSL does.
import { kernel, sharedMemory, type Tensor, tensorSpec, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 128, grid: 1 }, function wrong(d: Tensor<"f32", 2>) {
  const a = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
  const b = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
  const A: number = WGMMAMatrix.descriptor(a, [64, 64]) as never;
  const B: number = WGMMAMatrix.descriptor(b, [64, 64]) as never;
  let D: number = WGMMAMatrix.accumulator("f32", [64, 64]) as never;
  D += A * B; // error: W2009
  d[0][0] = D;
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 64]));
