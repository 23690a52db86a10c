// Waits for a phase by its name.
import { kernel, Mbarriers, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  const bar = new Mbarriers(1).at(0);
  bar.wait("even"); // error: W5007
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
