// Lets some lanes run what all of a warp run together.
import { kernel, ptx, type Tensor, threadIdx, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"u32", 1>) {
  const t = threadIdx.x;
  if (t < 7) x[t] = ptx("redux.sync.add.u32 $0, $1, -1;", { out: "u32" }, x[t]!); // error: W2048
});

export const run = () => wrong.compile(tensorSpec("u32", [32]));
