// Takes a carry that another text has left.
import { kernel, ptx, type Tensor, threadIdx, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"u32", 1>) {
  const t = threadIdx.x;
  const low = ptx("add.cc.u32 $0, $1, $2;", { out: "u32" }, x[t]!, 1);
  x[t] = ptx("addc.u32 $0, $1, 0;", { out: "u32" }, low); // error: W2812
});

export const run = () => wrong.compile(tensorSpec("u32", [32]));
