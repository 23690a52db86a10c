// A linear layout in which a bit of the lane adds three.
import { kernel, LinearLayout, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"i32", 1>) {
  const layout = new LinearLayout({ register: [[1]], lane: [[3], [4], [8], [16], [32]], warp: [], shape: [64] }); // error: W6203
  x.storeTile([0], x.loadTile([0], [64], layout));
});

export const run = () => wrong.compile(tensorSpec("i32", [64]));
