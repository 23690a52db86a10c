// Reshapes to another number of elements.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(y: Tensor<"f32", 2>) {
  const flat = y.reshape(2000); // error: W3010
  flat[threadIdx.x] = 0;
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 32]));
