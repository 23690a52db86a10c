// A loop in a text that may be run where the kernel does not come.
import { kernel, ptx, type Tensor, threadIdx, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"u32", 1>) {
  const t = threadIdx.x;
  const v = x.at(t).load();
  x.at(t).value = ptx(
    "{ .reg .pred p; mov.u32 $0, $1; more: sub.u32 $0, $0, 3; setp.ne.u32 p, $0, 0; @p bra more; }", // error: W2818
    { out: "u32", pure: true },
    v,
  );
});

export const run = () => wrong.compile(tensorSpec("u32", [32]));
