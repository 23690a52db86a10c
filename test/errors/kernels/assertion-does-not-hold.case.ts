// Asserts what the shapes do not keep.
import { assert, kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  assert(n.shape[0] % 96 === 0, "rows are a multiple of 96"); // error: W2045
  n[threadIdx.x] = 1;
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
