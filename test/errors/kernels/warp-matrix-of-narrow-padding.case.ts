// Rows of shared memory that are padded by 8 bytes, where they have to lie a multiple of 16 apart.
import { kernel, sharedMemory, type Tensor, tensorSpec, WMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"f16", 2>, d: Tensor<"f32", 2>) {
  const tile = sharedMemory.alloc("f16", [16, 20]);
  const a = WMMAMatrix.load("a", tile.subview([0, 0], [16, 16])); // error: W6303
  const b = WMMAMatrix.load("b", x.subview([0, 0], [16, 16]));
  WMMAMatrix.accumulator("f32", [16, 16, 16]).mma(a, b).store(d);
});

export const run = () => wrong.compile(tensorSpec("f16", [64, 64]), tensorSpec("f32", [16, 16]));
