// Spreads the copy of a tile over three warps.
import { asyncCopy, kernel, sharedMemory, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 96 }, function wrong(x: Tensor<"f32", 2>) {
  const tile = sharedMemory.alloc("f32", [16, 128]);
  asyncCopy.load(tile, x); // error: W6216
});

export const run = () => wrong.compile(tensorSpec("f32", [16, 128]));
