// Draws a layout, and says of no tile.
import { BlockedLayout, kernel, tensorSpec, type Tensor } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(_: Tensor<"f32", 1>) {
  const layout = new BlockedLayout({ perThread: [1, 4], threads: [4, 8], warps: [4, 1] });
  // @ts-expect-error: the shape is missing
  console.log(layout.print()); // error: W6205
});

export const run = () => wrong.compile(tensorSpec("f32", [512]));
