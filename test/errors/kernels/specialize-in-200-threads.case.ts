// Splits a block that is not whole warpgroups.
import { kernel, type Tensor, tensorSpec, threadIdx, warpgroup } from "warpsmith";

const wrong = kernel({ block: 200 }, function wrong(d: Tensor<"f32", 2>) {
  warpgroup.specialize({ // error: W6505
    all: { run: () => (d[0][threadIdx.x] = 1) },
  });
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 64]));
