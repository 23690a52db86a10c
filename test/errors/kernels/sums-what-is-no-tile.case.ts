// Sums a matrix in shared memory instead of a tile.
import { kernel, sharedMemory, type Tensor, tensorSpec, tile } from "warpsmith";

const wrong = kernel({ block: 128, grid: 1 }, function wrong(d: Tensor<"f32", 1>) {
  const X = sharedMemory.alloc("f32", [64, 64]);
  d.storeTile([0], tile.sum(X as never, 1)); // error: W6206
});

export const run = () => wrong.compile(tensorSpec("f32", [64]));
