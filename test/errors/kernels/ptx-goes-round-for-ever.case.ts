// A text of PTX that has no way to its end.
import { kernel, ptx, type Tensor, threadIdx, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"u32", 1>) {
  const t = threadIdx.x;
  ptx("again: red.global.add.u32 [$0], 1; bra again;", {}, x.at(t)); // error: W2816
});

export const run = () => wrong.compile(tensorSpec("u32", [32]));
