// Puts into a list what a loop of the program computes.
import { type Buffer, grid, program } from "warpsmith/schedule";

export const run = () =>
  program({ X: [16], Z: [16, 16] }, function wrong(X: Buffer<"f32", 1>, Z: Buffer<"f32", 2>) {
    const found: number[] = [];
    for (const i of grid(16)) found.push(X[i]); // error: W5505
    Z[0][0] = found.length;
  });
