// Places a swizzled buffer at byte 512.
import { f32, kernel, sharedMemory, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128, smem: 16384 }, function wrong(x: Tensor<"f32", 1>) {
  const tile = sharedMemory.dynamic("f16", [64, 64], { at: 512, swizzle: "128B" }); // error: W3016
  x[0] = f32(tile[0][0]);
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
