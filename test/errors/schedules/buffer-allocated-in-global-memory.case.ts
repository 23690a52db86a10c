// Allocates a buffer in global memory.
import { tensorSpec } from "warpsmith";
import { alloc, type Buffer, grid, program, programKernel } from "warpsmith/schedule";

const wrong = program({ X: [16], Z: [16] }, function wrong(X: Buffer<"f32", 1>, Z: Buffer<"f32", 1>) {
  const T = alloc("f32", [16], "global"); // error: W5608
  for (const i of grid(16)) T[i] = X[i];
  for (const i of grid(16)) Z[i] = T[15 - i];
});

export const run = () => programKernel(wrong).compile(tensorSpec("f32", [16]), tensorSpec("f32", [16]));
