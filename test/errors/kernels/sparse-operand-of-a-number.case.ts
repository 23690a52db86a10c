// A number as what is stored of a sparse operand.
import { kernel, type Tensor, tensorSpec, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(metadata: Tensor<"u16", 2>) {
  WGMMAMatrix.sparse(3, metadata); // error: W6114
});

export const run = () => wrong.compile(tensorSpec("u16", [64, 2]));
