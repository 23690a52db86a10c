// Reads a register that only the other way has written.
import { kernel, ptx, type Tensor, threadIdx, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"u32", 1>) {
  const t = threadIdx.x;
  x.at(t).value = ptx("{ .reg .u32 v; bra read; mov.u32 v, 1; read: mov.u32 $0, v; }", { out: "u32" }); // error: W2806
});

export const run = () => wrong.compile(tensorSpec("u32", [32]));
