// Gives an object literal a getter.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  const place = {
    get index() { // error: W1016
      return threadIdx.x;
    },
  };
  x[place.index] = 1;
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
