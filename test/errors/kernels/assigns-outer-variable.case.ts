// Counts in a variable of the host.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

let launches = 0;

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  x[threadIdx.x] = 1;
  launches += 1; // error: W1008
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
