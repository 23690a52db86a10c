// Loads a module while the kernel runs.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  import("./other.js"); // error: W1013
  x[threadIdx.x] = 1;
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
