// Lets an mbarrier wait for no arrivals.
import { kernel, Mbarriers, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  const bar = new Mbarriers(1).at(0);
  bar.init(0); // error: W5003
  x[0] = 1;
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
