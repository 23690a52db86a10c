// Takes the position of the block, which is three numbers, for one.
import { blockIdx, kernel, range, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32, grid: 32 }, function wrong(x: Tensor<"f32", 2>) {
  for (const c of range(32)) x[blockIdx as never][c] = 1; // error: W2059
});

export const run = () => wrong.compile(tensorSpec("f32", [32, 32]));
