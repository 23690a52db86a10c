// Takes a part of a swizzled tile from the middle of one panel to the middle of the next.
import { f32, kernel, sharedMemory, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  const tile = sharedMemory.alloc("f16", [64, 128], { swizzle: "128B" });
  const part = tile.subview([0, 32], [64, 64]); // error: W3012
  x[0] = f32(part[0][0]);
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
