// Uses in a loop a value that was read before the loop, which writes its buffer.
import { type Buffer, grid, program } from "warpsmith/schedule";

export const run = () =>
  program({ X: [16], Z: [16, 16] }, function wrong(X: Buffer<"f32", 1>, Z: Buffer<"f32", 2>) {
    const first = X[0];
    for (const i of grid(16)) X[i] = X[i] - first; // error: W5509
  });
