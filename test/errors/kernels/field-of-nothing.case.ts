// Takes a field of an object that is not there.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"f32", 1>) {
  const options: { scale?: { by: number } } = {};
  x[threadIdx.x] = options.scale!.by; // error: W2076
});

export const run = () => wrong.compile(tensorSpec("f32", [32]));
