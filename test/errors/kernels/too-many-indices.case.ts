// Gives three indices for a matrix.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(y: Tensor<"f32", 2>) {
  y.at(0, 1, threadIdx.x).store(0); // error: W3002
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 32]));
