// Plain code draws a random number, once for all threads and launches.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const noise = () => Math.random();

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  x[threadIdx.x] = noise(); // error: W2036
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
