// Has an intrinsic of a warp in a block of 16 threads.
import { tensorSpec } from "warpsmith";
import { alloc, type Buffer, bind, intrinsic, program, programKernel } from "warpsmith/schedule";

const wrong = program({ X: [16], Z: [16, 16] }, function wrong(X: Buffer<"f32", 1>, Z: Buffer<"f32", 2>) {
  const C = alloc("f32", [16, 16], "wmma.accumulator");
  for (const t of bind("threadIdx.x", 16)) X[t] = 0;
  intrinsic("wmma_fill", C.region([0, 16], [0, 16])); // error: W5595
  intrinsic("wmma_store", C.region([0, 16], [0, 16]), Z.region([0, 16], [0, 16]));
});

export const run = () => programKernel(wrong).compile(tensorSpec("f32", [16]), tensorSpec("f32", [16, 16]));
