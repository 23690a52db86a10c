// Adds to bytes atomically.
import { kernel, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i8", 1>) {
  n.at(0).atomic("add", 1); // error: W3020
});

export const run = () => wrong.compile(tensorSpec("i8", [128]));
