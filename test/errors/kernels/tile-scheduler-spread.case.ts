// Collects the tiles of a scheduler while the kernel is traced.
import { kernel, type Tensor, TileScheduler, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"i32", 1>) {
  const tiles = [...new TileScheduler([8, 4])]; // error: W2027
  x[0] = tiles.length;
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
