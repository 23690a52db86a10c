// Keeps in registers what a number of the GPU chooses.
import { tensorSpec } from "warpsmith";
import { alloc, type Buffer, bind, grid, program, programKernel } from "warpsmith/schedule";

const wrong = program({ P: [16], Z: [16] }, function wrong(P: Buffer<"i32", 1>, Z: Buffer<"f32", 1>) {
  const R = alloc("f32", [16], "local"); // error: W5596
  for (const t of bind("threadIdx.x", 16)) {
    for (const i of grid(16)) R[i] = 1;
    Z[t] = R[P[t]];
  }
});

export const run = () => programKernel(wrong).compile(tensorSpec("i32", [16]), tensorSpec("f32", [16]));
