// Returns from a function where the program decides.
import { type Buffer, grid, program } from "warpsmith/schedule";

export const run = () =>
  program({ X: [16], Z: [16, 16] }, function wrong(X: Buffer<"f32", 1>, Z: Buffer<"f32", 2>) {
    const clamp = (x: number) => {
      if (x < 0) return 0; // error: W5506
      return x;
    };
    for (const i of grid(16)) X[i] = clamp(X[i]);
  });
