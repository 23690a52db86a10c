// Calls a method of JavaScript's numbers on a staged one.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  console.log(x[threadIdx.x].toFixed(2)); // error: W2040
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
