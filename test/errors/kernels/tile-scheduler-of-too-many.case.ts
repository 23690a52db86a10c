// Deals out more tiles than an i32 counts.
import { kernel, type Tensor, TileScheduler, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"i32", 1>) {
  for (const { m } of new TileScheduler([65536, 32768])) x[m] = 1; // error: W6607
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
