// Calls a method that `warp` does not have.
import { kernel, type Tensor, tensorSpec, threadIdx, warp } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"i32", 1>) {
  const w = warp as unknown as { broadcast(x: number): number };
  x[threadIdx.x] = w.broadcast(x[threadIdx.x]); // error: W2074
});

export const run = () => wrong.compile(tensorSpec("i32", [32]));
