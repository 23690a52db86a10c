// Sets a field by a function of JavaScript's own, where the GPU decides.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  const state = { count: 1 };
  if (n[threadIdx.x] > 0) Reflect.set(state, "count", 7); // error: W2069
  n[0] = state.count;
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
