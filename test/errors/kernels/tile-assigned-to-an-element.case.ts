// Assigns a tile to one element.
import { kernel, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  x[0] = x.loadTile([0], [512]); // error: W2010
});

export const run = () => wrong.compile(tensorSpec("f32", [512]));
