// Sums up in a variable that a loop of the program changes.
import { f32 } from "warpsmith";
import { type Buffer, grid, program } from "warpsmith/schedule";

export const run = () =>
  program({ X: [16], Z: [16, 16] }, function wrong(X: Buffer<"f32", 1>, Z: Buffer<"f32", 2>) {
    let sum = f32(0);
    for (const i of grid(16)) sum = sum + X[i]; // error: W5505
    Z[0][0] = sum;
  });
