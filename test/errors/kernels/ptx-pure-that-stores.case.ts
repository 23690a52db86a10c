// Says of a store that it only computes.
import { kernel, ptx, type Tensor, threadIdx, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"u32", 1>) {
  const t = threadIdx.x;
  ptx("st.global.u32 [$0], $1;", { pure: true }, x.at(t), 7); // error: W2809
});

export const run = () => wrong.compile(tensorSpec("u32", [32]));
