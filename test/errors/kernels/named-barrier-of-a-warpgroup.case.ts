// Takes the barrier at which the first warpgroup meets by itself.
import { kernel, namedBarrier, type Tensor, tensorSpec, warpgroup } from "warpsmith";

const wrong = kernel({ block: 128, grid: 1 }, function wrong(x: Tensor<"f32", 1>) {
  const all = namedBarrier(15, 128);
  all.sync();
  x[warpgroup.thread] = warpgroup.sum(x[warpgroup.thread]!); // error: W6522
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
