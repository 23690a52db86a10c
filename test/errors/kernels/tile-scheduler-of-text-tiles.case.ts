// Gives the number of tiles as text.
import { kernel, type Tensor, TileScheduler, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"i32", 1>) {
  for (const { m } of new TileScheduler([8, "4" as unknown as number])) x[m] = 1; // error: W6601
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
