// Asks for the tile before the first.
import { kernel, type Tensor, TileScheduler, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"i32", 1>) {
  const { m } = new TileScheduler([8, 4]).at(-1); // error: W6605
  x[m] = 1;
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
