// Adds truth values.
import { kernel, type Tensor, tensorSpec, threadIdx, warp } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"f32", 1>, y: Tensor<"i32", 1>) {
  const positive = (x[threadIdx.x]! > 0) as unknown as number;
  y[threadIdx.x] = warp.sum(positive); // error: W2006
});

export const run = () => wrong.compile(tensorSpec("f32", [32]), tensorSpec("i32", [32]));
