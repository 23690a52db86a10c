// Declares a resource of the host in a kernel.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>, r: Disposable) {
  using resource = r; // error: W1014
  x[threadIdx.x] = 1;
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
