// Allocates a buffer in a loop.
import { alloc, type Buffer, grid, program } from "warpsmith/schedule";

export const run = () =>
  program({ X: [16], Z: [16, 16] }, function wrong(X: Buffer<"f32", 1>, Z: Buffer<"f32", 2>) {
    for (const i of grid(16)) {
      const t = alloc("f32", [1], "local"); // error: W5514
      t[0] = X[i];
    }
  });
