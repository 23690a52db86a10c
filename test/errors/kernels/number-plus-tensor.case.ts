// Adds a whole tensor to a number.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  x[threadIdx.x] = x + 1; // error: W2009
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
