// Takes the square root of an fp8 value.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(q: Tensor<"e4m3", 1>) {
  q[threadIdx.x] = Math.sqrt(q[threadIdx.x]); // error: W2702
});

export const run = () => wrong.compile(tensorSpec("e4m3", [128]));
