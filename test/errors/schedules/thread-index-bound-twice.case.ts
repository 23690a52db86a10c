// Binds two loops inside one another to one index of threads.
import { bind, type Buffer, program } from "warpsmith/schedule";

export const run = () =>
  program({ X: [16], Z: [16, 16] }, function wrong(X: Buffer<"f32", 1>, Z: Buffer<"f32", 2>) {
    for (const i of bind("threadIdx.x", 16))
      for (const j of bind("threadIdx.x", 16)) // error: W5515
        Z[i][j] = 0;
  });
