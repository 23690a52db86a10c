// Declares a variable in one case and assigns it in another.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  switch (threadIdx.x) {
    case 0:
      let value = 1;
      x[0] = value;
      break;
    case 1:
      value = 2; // error: W1019
      x[1] = value;
  }
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
