// Binds more threads than a block has.
import { tensorSpec } from "warpsmith";
import { type Buffer, bind, program, programKernel } from "warpsmith/schedule";

const clear = program({ X: [2048] }, function clear(X: Buffer<"f32", 1>) {
  for (const i of bind("threadIdx.x", 2048)) X[i] = 0; // error: W5591
});

export const run = () => programKernel(clear).compile(tensorSpec("f32", [2048]));
