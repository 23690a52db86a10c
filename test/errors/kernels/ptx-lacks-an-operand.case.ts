// Leaves out an operand of an instruction, in a text that is put together.
import { kernel, ptx, type Tensor, threadIdx, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"u32", 1>) {
  const op = "mad";
  const t = threadIdx.x;
  x[t] = ptx(`${op}.lo.u32 $0, $1, $2;`, { out: "u32" }, x[t]!, x[t]!); // error: W9802
});

export const run = () => wrong.compile(tensorSpec("u32", [32]));
