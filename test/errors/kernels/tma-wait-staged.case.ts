// Waits for a number of copies that only the GPU knows.
import { kernel, type Tensor, tensorSpec, threadIdx, TMA, tma } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(a: TMA<"f16", 2>, x: Tensor<"f32", 1>) {
  tma.wait(threadIdx.x); // error: W4510
  x[0] = 1;
});

export const run = () => wrong.compile(new TMA(tensorSpec("f16", [256, 256]), { box: [64, 64], swizzle: "128B" }), tensorSpec("f32", [128]));
