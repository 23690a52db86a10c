// Loads a tile in a block that is no whole warp.
import { kernel, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 16 }, function wrong(x: Tensor<"f32", 2>) {
  x.storeTile([0, 0], x.loadTile([0, 0], [16, 16])); // error: W6216
});

export const run = () => wrong.compile(tensorSpec("f32", [16, 16]));
