// Puts the sum into a register of its own, and not into the result.
import { kernel, ptx, type Tensor, threadIdx, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"u32", 1>) {
  const t = threadIdx.x;
  x[t] = ptx("{ .reg .u32 r; add.u32 r, $1, 1; st.global.u32 [$2], $0; }", { out: "u32" }, x[t]!, x); // error: W2806
});

export const run = () => wrong.compile(tensorSpec("u32", [32]));
