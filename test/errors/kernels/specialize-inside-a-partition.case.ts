// Splits a partition again.
import { kernel, type Tensor, tensorSpec, threadIdx, warpgroup } from "warpsmith";

const wrong = kernel({ block: 384 }, function wrong(d: Tensor<"f32", 2>) {
  warpgroup.specialize({
    all: {
      warpgroups: 3,
      run: () => {
        warpgroup.specialize({ again: { warpgroups: 3, run: () => (d[0][threadIdx.x] = 1) } }); // error: W6506
      },
    },
  });
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 64]));
