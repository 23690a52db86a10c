// Counts in a variable that a block's function changes.
import { block, type Buffer, grid, program, spatial } from "warpsmith/schedule";

export const run = () =>
  program({ X: [16], Z: [16, 16] }, function wrong(X: Buffer<"f32", 1>, Z: Buffer<"f32", 2>) {
    let count = 0;
    for (const i of grid(16))
      block("b", { vi: spatial(i) }, ({ vi }) => {
        count = count + 1; // error: W5505
        X[vi] = count;
      });
  });
