// Combines floats with an atomic `and`.
import { kernel, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  x.at(0).atomic("and", 1); // error: W3020
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
