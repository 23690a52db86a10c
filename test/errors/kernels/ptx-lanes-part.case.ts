// Lanes may part on the way to what they run together.
import { kernel, ptx, type Tensor, threadIdx, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"u32", 1>) {
  const t = threadIdx.x;
  const v = x.at(t).load();
  x.at(t).value = ptx(
    "{ .reg .pred p; mov.u32 $0, $1; setp.eq.u32 p, $1, 0; @p bra end; redux.sync.add.u32 $0, $1, 0xffffffff; end: }", // error: W2817
    { out: "u32" },
    v,
  );
});

export const run = () => wrong.compile(tensorSpec("u32", [32]));
