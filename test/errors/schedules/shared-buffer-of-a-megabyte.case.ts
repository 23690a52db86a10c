// Copies more to shared memory than a block has.
import { tensorSpec } from "warpsmith";
import { alloc, type Buffer, bind, grid, program, programKernel } from "warpsmith/schedule";

const wrong = program({ X: [512, 512], Z: [512, 512] }, function wrong(X: Buffer<"f32", 2>, Z: Buffer<"f32", 2>) {
  const S = alloc("f32", [512, 512], "shared"); // error: W5597
  for (const t of bind("threadIdx.x", 512)) for (const i of grid(512)) S[i][t] = X[i][t];
  for (const t of bind("threadIdx.x", 512)) for (const i of grid(512)) Z[i][t] = S[t][i];
});

export const run = () => programKernel(wrong).compile(tensorSpec("f32", [512, 512]), tensorSpec("f32", [512, 512]));
