// Runs an intrinsic of a warp under a loop that tells its threads apart.
import { tensorSpec } from "warpsmith";
import { alloc, type Buffer, bind, intrinsic, program, programKernel } from "warpsmith/schedule";

const wrong = program({ Z: [512, 16] }, function wrong(Z: Buffer<"f32", 2>) {
  const C = alloc("f32", [512, 16], "wmma.accumulator");
  for (const t of bind("threadIdx.x", 32)) {
    intrinsic("wmma_fill", C.region([t * 16, 16], [0, 16])); // error: W5594
    intrinsic("wmma_store", C.region([t * 16, 16], [0, 16]), Z.region([t * 16, 16], [0, 16]));
  }
});

export const run = () => programKernel(wrong).compile(tensorSpec("f32", [512, 16]));
