// Stores a tile of f32 in a tensor of f16.
import { kernel, type Tensor, tensorSpec, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(h: Tensor<"f16", 2>) {
  let D = WGMMAMatrix.accumulator("f32", [64, 64]);
  D.store(h); // error: W6118
});

export const run = () => wrong.compile(tensorSpec("f16", [64, 64]));
