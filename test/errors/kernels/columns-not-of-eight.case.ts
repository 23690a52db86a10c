// Takes five columns of an accumulator.
import { kernel, type Tensor, tensorSpec, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(d: Tensor<"f32", 2>) {
  let D = WGMMAMatrix.accumulator("f32", [64, 64]);
  const left = D.columns(0, 5); // error: W6117
  left.store(d);
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 64]));
