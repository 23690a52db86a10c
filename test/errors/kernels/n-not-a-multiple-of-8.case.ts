// Accumulates 60 columns.
import { kernel, type Tensor, tensorSpec, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(d: Tensor<"f32", 2>) {
  let D = WGMMAMatrix.accumulator("f32", [64, 60]); // error: W6111
  D.store(d);
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 64]));
