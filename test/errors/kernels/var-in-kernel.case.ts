// Declares a variable with `var`.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  var i = threadIdx.x; // error: W1006
  x[i] = 1;
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
