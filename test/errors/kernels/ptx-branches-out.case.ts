// A branch to a label that the text does not have.
import { kernel, ptx, type Tensor, threadIdx, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"u32", 1>) {
  const t = threadIdx.x;
  ptx("red.global.add.u32 [$0], 1; bra done;", {}, x.at(t)); // error: W9803
});

export const run = () => wrong.compile(tensorSpec("u32", [32]));
