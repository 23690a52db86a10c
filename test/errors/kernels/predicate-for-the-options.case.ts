// Gives a store its condition in place of its options.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  x.at(threadIdx.x).store(1, threadIdx.x < 100); // error: W2602
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
