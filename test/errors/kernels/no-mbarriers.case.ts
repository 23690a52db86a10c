// Makes no mbarriers at all.
import { kernel, Mbarriers, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  const bars = new Mbarriers(0); // error: W5001
  x[0] = bars.length;
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
