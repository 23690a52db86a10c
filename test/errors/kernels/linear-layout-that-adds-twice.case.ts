// A linear layout in which a register and a lane add the same.
import { kernel, LinearLayout, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"i32", 2>) {
  const lane = [[1, 1], [0, 2], [0, 4], [0, 8], [0, 16]];
  const layout = new LinearLayout({ register: [[0, 1]], lane, warp: [], shape: [2, 32] }); // error: W6203
  x.storeTile([0, 0], x.loadTile([0, 0], [2, 32], layout));
});

export const run = () => wrong.compile(tensorSpec("i32", [2, 32]));
