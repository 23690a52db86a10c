// Counts several arrivals that expect bytes.
import { kernel, Mbarriers, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  const bar = new Mbarriers(1).at(0);
  bar.arrive({ tx: 128, count: 2 }); // error: W5006
  x[0] = 1;
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
