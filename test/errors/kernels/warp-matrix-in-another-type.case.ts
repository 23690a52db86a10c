// Converts sums to a type that no sums of wmma have.
import { kernel, type Tensor, tensorSpec, WMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"f16", 2>) {
  const D = WMMAMatrix.load("c", x.subview([0, 0], [16, 16]));
  D.convert("bf16" as "f16"); // error: W6309
});

export const run = () => wrong.compile(tensorSpec("f16", [64, 64]));
