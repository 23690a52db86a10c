// Lets a buffer of shared memory reuse a tensor.
import { kernel, sharedMemory, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  // @ts-expect-error: a view of shared memory is wanted
  const again = sharedMemory.alloc("f32", [64], { reuse: x }); // error: W3017
  x[0] = again[0];
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
