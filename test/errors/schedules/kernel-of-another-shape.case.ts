// Gives a program a tensor of another shape than it says.
import { tensorSpec } from "warpsmith";
import { type Buffer, grid, program, programKernel } from "warpsmith/schedule";

const clear = program({ X: [16] }, function clear(X: Buffer<"f32", 1>) {
  for (const i of grid(16)) X[i] = 0;
});

export const run = () => programKernel(clear).compile(tensorSpec("f32", [8])); // error: W5590
