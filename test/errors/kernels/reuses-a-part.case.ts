// Lets a buffer reuse a part of another.
import { kernel, sharedMemory, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  const whole = sharedMemory.alloc("f32", [4, 64]);
  const again = sharedMemory.alloc("f32", [64], { reuse: whole.at(1) }); // error: W3017
  x[0] = again[0];
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
