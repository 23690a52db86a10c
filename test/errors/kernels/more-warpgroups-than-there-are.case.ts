// Shares an accumulator among two warpgroups of a block that has one.
import { kernel, type Tensor, tensorSpec, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(d: Tensor<"f32", 2>) {
  let D = WGMMAMatrix.accumulator("f32", [128, 64], { warpgroups: 2 }); // error: W6116
  D.store(d);
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 64]));
