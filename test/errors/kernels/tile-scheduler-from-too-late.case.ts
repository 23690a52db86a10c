// Begins with a tile that another iteration takes.
import { kernel, type Tensor, TileScheduler, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"i32", 1>) {
  for (const { m } of new TileScheduler([8, 4], { mode: "persistent", every: 2, from: 2 })) x[m] = 1; // error: W6605
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
