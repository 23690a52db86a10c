// Changes a field of an object that is frozen.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  const state: { count: number } = Object.freeze({ count: n[threadIdx.x] });
  if (n[0] > 0) state.count = 4; // error: W2070
  n[0] = state.count;
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
