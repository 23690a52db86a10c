// One thread changes a map, which takes a warp.
import { kernel, type Tensor, TMA, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(a: TMA<"f16", 2>, room: Tensor<"u8", 1>, x: Tensor<"f16", 2>) {
  if (threadIdx.x === 0) a.at(room).replace({ address: x }); // error: W2048
});

const spec = tensorSpec("f16", [64, 64]);
export const run = () => wrong.compile(new TMA(spec, { box: [8, 64] }), tensorSpec("u8", [128]), spec);
