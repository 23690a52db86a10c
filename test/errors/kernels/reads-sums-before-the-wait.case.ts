// Sums a product that nobody has waited for.
import { kernel, sharedMemory, type Tensor, tensorSpec, tile, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 128, grid: 1 }, function wrong(d: Tensor<"f32", 1>) {
  const A = WGMMAMatrix.descriptor(sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" }), [64, 64]);
  const D = WGMMAMatrix.accumulator("f32", [64, 64]).mma(A, A);
  d.storeTile([0], tile.sum(D, 1)); // error: W6001
});

export const run = () => wrong.compile(tensorSpec("f32", [64]));
