// Counts more arrivals over all peers than an mbarrier can.
import { kernel, Pipeline, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128, cluster: 2 }, function wrong(x: Tensor<"f32", 1>) {
  const pipe = new Pipeline({ stages: 4, consumers: 600_000, peers: 2 }); // error: W5009
  pipe.init();
  x[0] = 1;
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
