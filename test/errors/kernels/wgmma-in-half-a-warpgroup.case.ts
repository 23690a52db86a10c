// Multiplies with half a warpgroup.
import { kernel, type Tensor, tensorSpec, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 64 }, function wrong(d: Tensor<"f32", 2>) {
  const D = WGMMAMatrix.accumulator("f32", [64, 64]); // error: W6122
  D.store(d);
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 64]));
