// Sums over the block where only one of its warpgroups runs.
import { block, kernel, type Tensor, tensorSpec, warpgroup } from "warpsmith";

const wrong = kernel({ block: 256, grid: 1 }, function wrong(x: Tensor<"f32", 1>) {
  warpgroup.specialize({
    loads: { run: () => {} },
    adds: {
      run: () => {
        x[warpgroup.thread] = block.sum(x[warpgroup.thread]!); // error: W6520
      },
    },
  });
});

export const run = () => wrong.compile(tensorSpec("f32", [256]));
