// Asks for a stage of a pipeline where no loop is specialized.
import { tensorSpec } from "warpsmith";
import { type Buffer, effect, grid, program, programKernel } from "warpsmith/schedule";

const clear = program({ X: [16] }, function clear(X: Buffer<"f32", 1>) {
  for (const i of grid(16)) {
    X[i] = 0;
    effect("nextStage"); // error: W5578
  }
});

export const run = () => programKernel(clear).compile(tensorSpec("f32", [16]));
