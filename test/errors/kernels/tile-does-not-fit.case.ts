// Stores a tile in a tensor of another shape.
import { kernel, type Tensor, tensorSpec, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(d: Tensor<"f32", 2>) {
  let D = WGMMAMatrix.accumulator("f32", [64, 64]);
  D.store(d); // error: W6119
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 128]));
