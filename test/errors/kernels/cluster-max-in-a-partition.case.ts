// Looks for the greatest number of a cluster where only one warpgroup of each block runs.
import { cluster, kernel, type Tensor, tensorSpec, warpgroup } from "warpsmith";

const wrong = kernel({ block: 256, grid: 2, cluster: 2 }, function wrong(x: Tensor<"f32", 1>) {
  warpgroup.specialize({
    loads: { run: () => {} },
    looks: {
      run: () => {
        x[warpgroup.thread] = cluster.max(x[warpgroup.thread]!); // error: W6520
      },
    },
  });
});

export const run = () => wrong.compile(tensorSpec("f32", [256]));
