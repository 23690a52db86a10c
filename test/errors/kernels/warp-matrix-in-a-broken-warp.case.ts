// Loads the matrix of a warp in a block whose second warp is not whole.
import { kernel, type Tensor, tensorSpec, WMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 48 }, function wrong(d: Tensor<"f32", 2>) {
  WMMAMatrix.load("c", d).store(d); // error: W6307
});

export const run = () => wrong.compile(tensorSpec("f32", [16, 16]));
