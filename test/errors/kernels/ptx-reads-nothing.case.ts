// Reads a register before anything is in it.
import { kernel, ptx, type Tensor, threadIdx, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"u32", 1>) {
  const t = threadIdx.x;
  x[t] = ptx("{ .reg .u32 sum; add.u32 $0, sum, $1; }", { out: "u32" }, x[t]!); // error: W2806
});

export const run = () => wrong.compile(tensorSpec("u32", [32]));
