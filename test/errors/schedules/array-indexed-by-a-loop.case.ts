// Indexes an array of the host with a loop variable.
import { type Buffer, grid, program } from "warpsmith/schedule";

export const run = () =>
  program({ X: [16], Z: [16, 16] }, function wrong(X: Buffer<"f32", 1>, Z: Buffer<"f32", 2>) {
    const weights = [0.5, 0.25];
    for (const i of grid(2)) X[i] = X[i] * weights[i]; // error: W5507
  });
