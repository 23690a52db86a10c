// Changes a map for convolutions.
import { kernel, type Tensor, TMA, tensorSpec, warp } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(a: TMA<"f16", 4>, x: Tensor<"f16", 4>, room: Tensor<"u8", 1>) {
  if (warp.index === 0) a.at(room).replace({ address: x }); // error: W4523
});

const spec = tensorSpec("f16", [2, 8, 8, 64]);
const map = TMA.im2col(spec, { lower: [-1, -1], upper: [-1, -1], channels: 64, pixels: 32 });
export const run = () => wrong.compile(map, spec, tensorSpec("u8", [128]));
