// Spreads a tensor into the arguments of a function.
import { kernel, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>, y: Tensor<"f32", 1>) {
  // @ts-expect-error: no list
  y[0] = Math.max(...x); // error: W2084
});

export const run = () => wrong.compile(tensorSpec("f32", [128]), tensorSpec("f32", [1]));
