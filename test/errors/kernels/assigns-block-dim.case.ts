// Assigns a dimension of the block.
import { blockDim, kernel, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  blockDim.x = 64; // error: W2046
  n[0] = 1;
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
