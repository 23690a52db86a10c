// Deals out no tiles along N.
import { kernel, type Tensor, TileScheduler, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"i32", 1>) {
  for (const { m } of new TileScheduler([8, 0])) x[m] = 1; // error: W6601
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
