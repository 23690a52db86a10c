// Takes an mbarrier that is not there.
import { kernel, Mbarriers, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  const bars = new Mbarriers(2);
  bars.at(2).init(1); // error: W5002
  x[0] = 1;
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
