// Lets some of the threads of a block wait for the grid.
import { grid, kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 64, grid: 4, cooperative: true }, function wrong(x: Tensor<"f32", 1>) {
  if (threadIdx.x < 32) {
    x[threadIdx.x] = 1;
    grid.sync(); // error: W2048
  }
});

export const run = () => wrong.compile(tensorSpec("f32", [32]));
