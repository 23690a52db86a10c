// Turns a tensor over and does not use what it gets.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"f32", 2>) {
  x.transpose(); // error: W2044
  x[0]![threadIdx.x] = 1;
});

export const run = () => wrong.compile(tensorSpec("f32", [32, 32]));
