// Builds code from a string.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  x[threadIdx.x] = eval("1 + 1"); // error: W1005
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
