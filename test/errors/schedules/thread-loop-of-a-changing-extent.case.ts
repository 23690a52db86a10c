// Binds a loop whose extent changes.
import { tensorSpec } from "warpsmith";
import { type Buffer, bind, grid, program, programKernel } from "warpsmith/schedule";

const wrong = program({ Z: [16, 16] }, function wrong(Z: Buffer<"f32", 2>) {
  for (const i of grid(16))
    for (const j of bind("threadIdx.x", i + 1)) // error: W5601
      Z[i][j] = 0;
});

export const run = () => programKernel(wrong).compile(tensorSpec("f32", [16, 16]));
