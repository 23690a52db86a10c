// Combines by a function of JavaScript's own.
import { kernel, type Tensor, tensorSpec, threadIdx, warp } from "warpsmith";

const greater = Math.hypot.bind(Math);
const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"f32", 1>) {
  x[threadIdx.x] = warp.reduce(x[threadIdx.x]!, greater); // error: W2034
});

export const run = () => wrong.compile(tensorSpec("f32", [32]));
