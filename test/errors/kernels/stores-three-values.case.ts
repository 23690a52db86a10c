// Stores three values in one instruction.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  x.at(threadIdx.x).store([1, 2, 3]); // error: W3007
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
