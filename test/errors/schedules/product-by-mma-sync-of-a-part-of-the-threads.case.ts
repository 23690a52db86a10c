// Has one warp store a matrix of mma.sync in a block of 64 threads along x.
import { tensorSpec } from "warpsmith";
import { alloc, type Buffer, bind, intrinsic, program, programKernel } from "warpsmith/schedule";

const wrong = program({ X: [64], Z: [16, 16] }, function wrong(X: Buffer<"f32", 1>, Z: Buffer<"f32", 2>) {
  const C = alloc("f32", [16, 16], "mma.accumulator");
  for (const t of bind("threadIdx.x", 64)) X[t] = 0;
  intrinsic("mma_fill", C.region([0, 16], [0, 16]));
  intrinsic("mma_store", C.region([0, 16], [0, 16]), Z.region([0, 16], [0, 16])); // error: W5595
});

export const run = () => programKernel(wrong).compile(tensorSpec("f32", [64]), tensorSpec("f32", [16, 16]));
