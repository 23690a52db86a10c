// Says how many results there are, not of which types.
import { kernel, ptx, type Tensor, threadIdx, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"u32", 1>) {
  x[threadIdx.x] = ptx("mov.u32 $0, 7;", { out: 1 as never }); // error: W2811
});

export const run = () => wrong.compile(tensorSpec("u32", [32]));
