// Gives a value of the program to a function of JavaScript that reads it.
import { type Buffer, grid, program } from "warpsmith/schedule";

export const run = () =>
  program({ X: [16], Z: [16, 16] }, function wrong(X: Buffer<"f32", 1>, Z: Buffer<"f32", 2>) {
    for (const i of grid(16)) X[i] = Number([i].map(String)[0]); // error: W5519
  });
