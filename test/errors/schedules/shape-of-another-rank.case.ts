// Gives two extents for a buffer of one dimension.
import { type Buffer, program } from "warpsmith/schedule";

export const run = () =>
  program({ X: [16, 16] }, function wrong(X: Buffer<"f32", 1>) { // error: W5504
    X[0] = 1;
  });
