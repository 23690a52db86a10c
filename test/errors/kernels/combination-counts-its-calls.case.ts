// Counts how often two values became one.
import { i32, kernel, type Tensor, tensorSpec, threadIdx, warp } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"i32", 1>) {
  let calls = i32(0);
  const count = warp.reduce(x[threadIdx.x]!, (a, b) => { // error: W6521
    calls += 1;
    return a + b;
  });
  x[threadIdx.x] = count + calls;
});

export const run = () => wrong.compile(tensorSpec("i32", [32]));
