// Adds two fp8 values.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(q: Tensor<"e4m3", 1>) {
  q[threadIdx.x] = q[threadIdx.x] + q[0]; // error: W2014
});

export const run = () => wrong.compile(tensorSpec("e4m3", [128]));
