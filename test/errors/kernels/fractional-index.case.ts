// Indexes with an f32.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  x[x[threadIdx.x]] = 0; // error: W2017
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
