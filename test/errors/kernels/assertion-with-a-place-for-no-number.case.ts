// Has two places in the message of an assertion, and one number.
import { assert, kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128, debug: true }, function wrong(n: Tensor<"i32", 1>) {
  const at = threadIdx.x;
  assert(n[at] >= 0, "element {} of {} is negative", at); // error: W7712
  n[at] = 1;
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
