// Indexes a buffer with a float.
import { type Buffer, grid, program } from "warpsmith/schedule";

export const run = () =>
  program({ X: [16], Z: [16, 16] }, function wrong(X: Buffer<"f32", 1>, Z: Buffer<"f32", 2>) {
    for (const i of grid(16)) X[i / 2] = 0; // error: W5510
  });
