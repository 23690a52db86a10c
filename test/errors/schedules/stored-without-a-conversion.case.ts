// Stores an f32 to a buffer of f16.
import { type Buffer, grid, program } from "warpsmith/schedule";

export const run = () =>
  program({ X: [16], Y: [16] }, function wrong(X: Buffer<"f32", 1>, Y: Buffer<"f16", 1>) {
    for (const i of grid(16)) Y[i] = X[i]; // error: W2010
  });
