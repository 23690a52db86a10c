// The offset of a tile as a number, not a list.
import { kernel, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  // @ts-expect-error: a list of one number
  x.storeTile(0, x.loadTile([0], [512])); // error: W3008
});

export const run = () => wrong.compile(tensorSpec("f32", [512]));
