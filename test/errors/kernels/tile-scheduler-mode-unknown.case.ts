// Asks for a mode that a tile scheduler does not have.
import { kernel, type Tensor, TileScheduler, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"i32", 1>) {
  for (const { m } of new TileScheduler([8, 4], { mode: "stream-k" as "grid" })) x[m] = 1; // error: W6602
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
