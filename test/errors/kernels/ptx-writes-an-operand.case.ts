// Changes an operand.
import { kernel, ptx, type Tensor, threadIdx, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"u32", 1>) {
  const t = threadIdx.x;
  ptx("add.u32 $0, $1, 1;", {}, x[t]!, x[t]!); // error: W2804
});

export const run = () => wrong.compile(tensorSpec("u32", [32]));
