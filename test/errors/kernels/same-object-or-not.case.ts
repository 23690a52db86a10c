// Asks whether two variables hold one object where the GPU has decided it.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  const first = { sum: n[threadIdx.x] };
  let best = first;
  if (n[threadIdx.x] > 0) best = { sum: 1 };
  if (best === first) n[0] = 1; // error: W2068
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
