// Leaves a loop of the program early.
import { type Buffer, grid, program } from "warpsmith/schedule";

export const run = () =>
  program({ X: [16], Z: [16, 16] }, function wrong(X: Buffer<"f32", 1>, Z: Buffer<"f32", 2>) {
    for (const i of grid(16)) {
      if (X[i] > 3) break; // error: W5506
      Z[i][0] = X[i];
    }
  });
