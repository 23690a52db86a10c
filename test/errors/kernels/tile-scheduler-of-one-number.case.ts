// Gives a tile scheduler the number of all tiles.
import { kernel, type Tensor, TileScheduler, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"i32", 1>) {
  for (const { m } of new TileScheduler([32] as unknown as [number, number])) x[m] = 1; // error: W6606
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
