// Misspells an instruction.
import { kernel, ptx, type Tensor, threadIdx, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"u32", 1>) {
  const t = threadIdx.x;
  x[t] = ptx("mad.low.u32 $0, $1, $2, $3;", { out: "u32" }, x[t]!, x[t]!, 7); // error: W9801
});

export const run = () => wrong.compile(tensorSpec("u32", [32]));
