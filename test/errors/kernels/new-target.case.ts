// Asks for `new.target`.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  x[threadIdx.x] = new.target ? 1 : 0; // error: W1021
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
