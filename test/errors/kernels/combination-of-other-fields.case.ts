// Makes one number of two places: it lacks what it is given two of.
import { kernel, type Tensor, tensorSpec, threadIdx, warp } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"f32", 1>) {
  const best = warp.reduce({ value: x[threadIdx.x]!, index: threadIdx.x }, (a, b) => ({ value: a.value + b.value }) as typeof a); // error: W6523
  x[threadIdx.x] = best.value;
});

export const run = () => wrong.compile(tensorSpec("f32", [32]));
