// Leaves a bracket open.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  x[threadIdx.x = 1; // error: W1001
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
