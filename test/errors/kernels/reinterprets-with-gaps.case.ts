// Reinterprets a part that has gaps between its rows.
import { f32, kernel, sharedMemory, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  const tile = sharedMemory.alloc("f32", [8, 64]);
  const left = tile.subview([0, 0], [8, 16]);
  const half = left.reinterpret("f16", [8, 32]); // error: W3019
  x[0] = f32(half[0][0]);
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
