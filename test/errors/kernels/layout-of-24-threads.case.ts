// A layout whose warps have 24 threads.
import { BlockedLayout, kernel, type Tensor, tensorSpec } from "warpsmith";


const wrong = kernel({ block: 128, grid: 1 }, function wrong(x: Tensor<"f32", 2>) {
  const layout = new BlockedLayout({ perThread: [1, 4], threads: [2, 8], warps: [4, 1] }); // error: W6203
  x.storeTile([0, 0], x.loadTile([0, 0], [32, 64], layout));
});

export const run = () => wrong.compile(tensorSpec("f32", [32, 64]));
