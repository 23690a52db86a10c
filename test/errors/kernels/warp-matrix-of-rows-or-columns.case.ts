// Chooses between a matrix that was loaded by rows and one that was loaded by columns.
import { type bool, kernel, type Tensor, tensorSpec, WMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"f16", 2>, d: Tensor<"f32", 2>, flip: bool) {
  const A = flip ? WMMAMatrix.load("a", x.transpose()) : WMMAMatrix.load("a", x);
  WMMAMatrix.load("c", d).mma(A, WMMAMatrix.load("b", x)).store(d); // error: W2022
});

export const run = () => wrong.compile(tensorSpec("f16", [16, 16]), tensorSpec("f32", [16, 16]), true);
