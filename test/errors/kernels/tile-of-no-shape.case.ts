// Gives a tile one extent where a list of extents is wanted.
import { kernel, type Tensor, tensorSpec, tile } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  // @ts-expect-error: a list of extents is wanted
  const zeros = tile.full(64, 0); // error: W2010
  x.storeTile([0], zeros);
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
