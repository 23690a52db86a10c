// Reads the clock of the host.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  n[threadIdx.x] = Date.now() % 2; // error: W2036
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
