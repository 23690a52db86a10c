// Uses a variable in a function above the `return` that stands before its declaration.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  const write = () => {
    x[threadIdx.x] = later;
  };
  if (threadIdx.x > 64) return;
  const later = 1; // error: W1018
  write();
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
