// Gives a text as an operand.
import { kernel, ptx, type Tensor, threadIdx, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"u32", 1>) {
  ptx("st.global.u32 [$0], $1;", {}, x.at(threadIdx.x), "seven" as never); // error: W2810
});

export const run = () => wrong.compile(tensorSpec("u32", [32]));
