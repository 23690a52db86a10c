// Decides on the GPU whether a copy looks where the tensor ends.
import { asyncCopy, type i32, kernel, sharedMemory, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 2>, n: i32) {
  const tile = sharedMemory.alloc("f32", [16, 128]);
  asyncCopy.load(tile, x, { mask: n < 16 }); // error: W2010
});

export const run = () => wrong.compile(tensorSpec("f32", [16, 128]), 3);
