// Reads a view as a type and shape of other bytes.
import { f32, kernel, sharedMemory, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  const tile = sharedMemory.alloc("f32", [64]);
  const half = tile.reinterpret("f16", [64]); // error: W3018
  x[0] = f32(half[0]);
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
