// A table of branches.
import { kernel, ptx, type Tensor, threadIdx, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"u32", 1>) {
  const t = threadIdx.x;
  ptx("table: .branchtargets a; a: red.global.add.u32 [$0], 1;", {}, x.at(t)); // error: W2805
});

export const run = () => wrong.compile(tensorSpec("u32", [32]));
