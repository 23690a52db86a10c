// Accumulates in bf16.
import { kernel, type Tensor, tensorSpec, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(d: Tensor<"f32", 2>) {
  let D = WGMMAMatrix.accumulator("bf16", [64, 64]); // error: W6115
  D.store(d);
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 64]));
