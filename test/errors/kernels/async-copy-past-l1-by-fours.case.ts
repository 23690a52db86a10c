// Wants a tile past the L1 cache whose rows begin at multiples of 4 bytes.
import { asyncCopy, kernel, sharedMemory, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 2>) {
  const tile = sharedMemory.alloc("f32", [16, 64]);
  asyncCopy.load(tile, x.subview([0, 1], [16, 64]), { cache: "cg" }); // error: W3032
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 128]));
