// Calls an ordinary function that reads a thread index itself.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const lane = () => threadIdx.x;

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  n[0] = lane(); // error: W2034
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
