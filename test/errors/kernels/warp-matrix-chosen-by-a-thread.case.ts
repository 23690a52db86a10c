// Lets each thread choose the matrix of a warp that it goes on with.
import { kernel, type Tensor, tensorSpec, threadIdx, WMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(d: Tensor<"f32", 2>) {
  const D = WMMAMatrix.load("c", d);
  const E = threadIdx.x === 0 ? D : D.map((v) => v + 1); // error: W2048
  E.store(d);
});

export const run = () => wrong.compile(tensorSpec("f32", [16, 16]));
