// Asks for a product of tf32 of the shape that f16 has.
import { kernel, type Tensor, tensorSpec, WMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"tf32", 2>) {
  void WMMAMatrix.load("a", x.subview([0, 0], [16, 16]), { shape: [16, 16, 16] }); // error: W6301
});

export const run = () => wrong.compile(tensorSpec("tf32", [64, 64]));
