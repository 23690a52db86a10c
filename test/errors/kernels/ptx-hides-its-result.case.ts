// Declares a register by the name of the result.
import { kernel, ptx, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"u32", 1>) {
  x[threadIdx.x] = ptx("{ .reg .u32 $0; mov.u32 $0, 7; }", { out: "u32" }); // error: W2803
});

export const run = () => wrong.compile(tensorSpec("u32", [32]));
