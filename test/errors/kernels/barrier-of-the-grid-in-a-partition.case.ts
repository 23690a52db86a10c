// Waits for all threads of the grid in one warpgroup of two.
import { grid, kernel, type Tensor, tensorSpec, warpgroup } from "warpsmith";

const wrong = kernel({ block: 256, grid: 4, cooperative: true }, function wrong(x: Tensor<"f32", 1>) {
  warpgroup.specialize({
    one: {
      warpgroups: 1,
      run() {
        grid.sync(); // error: W5020
      },
    },
    other: {
      warpgroups: 1,
      run() {
        x[0] = 1;
      },
    },
  });
});

export const run = () => wrong.compile(tensorSpec("f32", [32]));
