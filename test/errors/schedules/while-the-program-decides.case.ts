// Loops while something holds that only the run knows.
import { type Buffer, program } from "warpsmith/schedule";

export const run = () =>
  program({ X: [16], Z: [16, 16] }, function wrong(X: Buffer<"f32", 1>, Z: Buffer<"f32", 2>) {
    while (X[0] > 1) X[0] = X[0] - 1; // error: W5506
  });
