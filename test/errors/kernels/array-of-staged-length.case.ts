// Makes an array as long as a thread index says.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  const list = new Array(threadIdx.x); // error: W2041
  x[0] = list.length;
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
