// Names an effect that there is not.
import { tensorSpec } from "warpsmith";
import { type Buffer, bind, effect, program, programKernel } from "warpsmith/schedule";

const wrong = program({ X: [64] }, function wrong(X: Buffer<"f32", 1>) {
  for (const t of bind("threadIdx.x", 64)) X[t] = 0;
  effect("syncthreads"); // error: W5600
});

export const run = () => programKernel(wrong).compile(tensorSpec("f32", [64]));
