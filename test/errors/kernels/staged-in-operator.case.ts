// Asks with `in` for a staged key.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  const table = { a: 1 };
  if (threadIdx.x in table) n[0] = 1; // error: W2015
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
