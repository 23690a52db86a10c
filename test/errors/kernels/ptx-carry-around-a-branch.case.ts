// A carry from before a label.
import { kernel, ptx, type Tensor, threadIdx, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"u32", 1>) {
  const t = threadIdx.x;
  ptx("{ .reg .u32 a; .reg .pred p; setp.eq.u32 p, 0, 0; add.cc.u32 a, 1, 2; @p bra on; on: addc.u32 a, a, 0; red.global.add.u32 [$0], a; }", {}, x.at(t)); // error: W2812
});

export const run = () => wrong.compile(tensorSpec("u32", [32]));
