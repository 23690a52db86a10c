// Waits for an mbarrier of another block.
import { cluster, kernel, Mbarriers, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128, cluster: 2 }, function wrong(x: Tensor<"f32", 1>) {
  const bar = new Mbarriers(1).at(0);
  cluster.map(bar, cluster.rank ^ 1).wait(false); // error: W3028
  x[0] = 1;
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
