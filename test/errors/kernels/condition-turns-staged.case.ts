// Lets a loop's condition begin static and become staged.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  let i = 0;
  while (i < 8) { // error: W2023
    n[i] = 1;
    i += threadIdx.x + 1;
  }
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
