// Arrives at a block that the cluster does not have.
import { kernel, Mbarriers, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128, cluster: 2 }, function wrong(x: Tensor<"f32", 1>) {
  const bar = new Mbarriers(1).at(0);
  bar.arrive({ rank: 2 }); // error: W5008
  x[0] = 1;
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
