// Takes an index for an address.
import { kernel, ptx, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"u32", 1>) {
  x[0] = ptx("ld.global.u32 $0, [$1];", { out: "u32" }, threadIdx.x); // error: W2815
});

export const run = () => wrong.compile(tensorSpec("u32", [32]));
