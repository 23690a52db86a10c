// Waits for all blocks, of which some may never begin.
import { blockIdx, grid, kernel, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32, grid: 4 }, function wrong(x: Tensor<"f32", 1>) {
  x[blockIdx.x] = 1;
  grid.sync(); // error: W5021
});

export const run = () => wrong.compile(tensorSpec("f32", [32]));
