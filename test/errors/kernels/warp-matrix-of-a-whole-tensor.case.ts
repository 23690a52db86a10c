// Loads a tensor that is larger than the matrix.
import { kernel, type Tensor, tensorSpec, WMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"f16", 2>) {
  void WMMAMatrix.load("a", x); // error: W6302
});

export const run = () => wrong.compile(tensorSpec("f16", [64, 64]));
