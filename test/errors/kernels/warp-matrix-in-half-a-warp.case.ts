// Multiplies in half of a warp.
import { kernel, type Tensor, tensorSpec, threadIdx, WMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"f16", 2>, d: Tensor<"f32", 2>) {
  const a = WMMAMatrix.load("a", x.subview([0, 0], [16, 16]));
  const b = WMMAMatrix.load("b", x.subview([0, 0], [16, 16]));
  let D = WMMAMatrix.accumulator("f32", [16, 16, 16]);
  if (threadIdx.x < 16) D = D.mma(a, b); // error: W2048
  D.store(d);
});

export const run = () => wrong.compile(tensorSpec("f16", [64, 64]), tensorSpec("f32", [16, 16]));
