// Takes every second tile of a block that has one.
import { kernel, type Tensor, TileScheduler, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"i32", 1>) {
  for (const { m } of new TileScheduler([8, 4], { every: 2 })) x[m] = 1; // error: W6604
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
