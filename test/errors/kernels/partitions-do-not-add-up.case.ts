// Deals three warpgroups to a block that has four.
import { kernel, type Tensor, tensorSpec, warpgroup } from "warpsmith";

const wrong = kernel({ block: 512 }, function wrong(d: Tensor<"f32", 2>) {
  warpgroup.specialize({ // error: W6501
    producer: { run: () => {} },
    consumer: { warpgroups: 2, run: () => (d[0][warpgroup.thread] = 1) },
  });
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 64]));
