// Deletes a variable.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  const scratch = { a: 1 };
  delete scratch; // error: W1022
  x[threadIdx.x] = 1;
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
