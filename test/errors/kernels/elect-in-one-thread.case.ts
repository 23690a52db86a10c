// Lets one thread elect a thread of its warpgroup.
import { kernel, type Tensor, tensorSpec, warp, warpgroup } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  if (warp.lane === 0) {
    if (warpgroup.elect()) x[0] = 1; // error: W2048
  }
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
