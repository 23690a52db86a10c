// Adds four integers in one instruction.
import { kernel, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"i32", 1>) {
  x.at(0).reduce("add", [1, 2, 3, 4]); // error: W3037
});

export const run = () => wrong.compile(tensorSpec("i32", [32]));
