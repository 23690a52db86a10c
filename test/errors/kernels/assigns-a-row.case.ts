// Assigns a number to a row of a matrix.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(y: Tensor<"f32", 2>) {
  y[threadIdx.x] = 0; // error: W3003
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 32]));
