// Gives an integer for two floats.
import { i32, kernel, type Tensor, tensorSpec, threadIdx, warp } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"f32", 1>) {
  x[threadIdx.x] = warp.reduce(x[threadIdx.x]!, (a, b) => i32(a > b)); // error: W2010
});

export const run = () => wrong.compile(tensorSpec("f32", [32]));
