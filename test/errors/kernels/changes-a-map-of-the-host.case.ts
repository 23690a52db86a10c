// Changes the map that is the kernel's parameter.
import { kernel, type Tensor, TMA, tensorSpec, warp } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(a: TMA<"f16", 2>, x: Tensor<"f16", 2>) {
  if (warp.index === 0) a.replace({ address: x }); // error: W4521
});

const spec = tensorSpec("f16", [64, 64]);
export const run = () => wrong.compile(new TMA(spec, { box: [8, 64] }), spec);
