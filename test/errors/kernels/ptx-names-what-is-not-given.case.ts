// Names an operand that is not given.
import { kernel, ptx, type Tensor, threadIdx, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"u32", 1>) {
  const t = threadIdx.x;
  x[t] = ptx("add.u32 $0, $1, $2;", { out: "u32" }, x[t]!); // error: W2801
});

export const run = () => wrong.compile(tensorSpec("u32", [32]));
