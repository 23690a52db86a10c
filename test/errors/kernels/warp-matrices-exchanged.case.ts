// Gives A where B is asked for.
import { kernel, type Tensor, tensorSpec, WMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"f16", 2>, d: Tensor<"f32", 2>) {
  const a = WMMAMatrix.load("a", x.subview([0, 0], [16, 16]));
  const b = WMMAMatrix.load("b", x.subview([0, 0], [16, 16]));
  WMMAMatrix.accumulator("f32", [16, 16, 16]).mma(b, a).store(d); // error: W6305
});

export const run = () => wrong.compile(tensorSpec("f16", [64, 64]), tensorSpec("f32", [16, 16]));
