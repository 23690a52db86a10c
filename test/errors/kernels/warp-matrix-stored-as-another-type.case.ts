// Stores sums of f32 as f16.
import { kernel, type Tensor, tensorSpec, WMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"f16", 2>) {
  WMMAMatrix.accumulator("f32", [16, 16, 16]).store(x.subview([0, 0], [16, 16])); // error: W6306
});

export const run = () => wrong.compile(tensorSpec("f16", [64, 64]));
