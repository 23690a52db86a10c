// Gives a shape where a layout is asked for.
import { kernel, type Tensor, tensorSpec } from "warpsmith";


const wrong = kernel({ block: 128, grid: 1 }, function wrong(x: Tensor<"f32", 2>) {
  x.storeTile([0, 0], x.loadTile([0, 0], [32, 64], [4, 1] as never)); // error: W6212
});

export const run = () => wrong.compile(tensorSpec("f32", [32, 64]));
