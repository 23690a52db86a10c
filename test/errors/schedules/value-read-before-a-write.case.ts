// Uses a value that was read before its buffer is written.
import { type Buffer, grid, program } from "warpsmith/schedule";

export const run = () =>
  program({ X: [16], Z: [16, 16] }, function wrong(X: Buffer<"f32", 1>, Z: Buffer<"f32", 2>) {
    for (const i of grid(8)) {
      const old = X[i];
      X[i] = X[i + 8];
      X[i + 8] = old; // error: W5509
    }
  });
