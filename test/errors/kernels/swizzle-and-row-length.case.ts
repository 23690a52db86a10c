// Allocates rows of 32 bytes with a swizzle of 128.
import { f32, kernel, sharedMemory, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  const tile = sharedMemory.alloc("f16", [64, 16], { swizzle: "128B" }); // error: W3014
  x[0] = f32(tile[0][0]);
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
