// Derives a class inside a kernel.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  class Base {
    value = 1;
  }
  class Derived extends Base {} // error: W1012
  x[threadIdx.x] = new Derived().value;
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
