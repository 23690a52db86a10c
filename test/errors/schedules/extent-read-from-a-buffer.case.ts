// Takes the extent of a loop from a buffer.
import { type Buffer, grid, program } from "warpsmith/schedule";

export const run = () =>
  program({ X: [16], Z: [16, 16] }, function wrong(X: Buffer<"f32", 1>, Z: Buffer<"f32", 2>) {
    for (const i of grid(X[0])) Z[i][0] = 1; // error: W5508
  });
