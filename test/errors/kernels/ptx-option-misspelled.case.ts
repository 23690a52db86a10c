// Misspells an option of ptx.
import { kernel, ptx, type Tensor, threadIdx, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"u32", 1>) {
  x[threadIdx.x] = ptx("mov.u32 $0, 7;", { result: "u32" } as never) as never; // error: W2601
});

export const run = () => wrong.compile(tensorSpec("u32", [32]));
