// Gives the partitions more registers than the block has.
import { kernel, type Tensor, tensorSpec, warpgroup } from "warpsmith";

const wrong = kernel({ block: 384 }, function wrong(d: Tensor<"f32", 2>) {
  warpgroup.specialize({ // error: W6503
    producer: { registers: 128, run: () => {} },
    consumer: { warpgroups: 2, registers: 232, run: () => (d[0][warpgroup.thread] = 1) },
  });
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 64]));
