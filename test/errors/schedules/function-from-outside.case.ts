// Calls a function that was written outside the program with one of its values.
import { type Buffer, grid, program } from "warpsmith/schedule";

const twice = (x: number): number => x + x;

export const run = () =>
  program({ X: [16], Z: [16, 16] }, function wrong(X: Buffer<"f32", 1>, Z: Buffer<"f32", 2>) {
    for (const i of grid(16)) X[i] = twice(X[i]); // error: W5516
  });
