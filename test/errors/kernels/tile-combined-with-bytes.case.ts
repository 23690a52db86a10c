// Adds a tile of bytes to a tensor.
import { kernel, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"u8", 1>) {
  x.reduceTile("add", [0], x.loadTile([0], [512])); // error: W3020
});

export const run = () => wrong.compile(tensorSpec("u8", [512]));
