// Declares shared memory in a text of PTX.
import { kernel, ptx, type Tensor, threadIdx, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"u32", 1>) {
  const t = threadIdx.x;
  ptx("{ .shared .b32 s[32]; st.shared.u32 [s], $0; }", {}, x[t]!); // error: W2805
});

export const run = () => wrong.compile(tensorSpec("u32", [32]));
