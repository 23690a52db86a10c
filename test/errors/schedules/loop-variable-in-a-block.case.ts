// Uses a loop's variable in a block that has no axis for it.
import { block, type Buffer, grid, program, spatial } from "warpsmith/schedule";

export const run = () =>
  program({ X: [16], Z: [16, 16] }, function wrong(X: Buffer<"f32", 1>, Z: Buffer<"f32", 2>) {
    for (const [i, j] of grid(16, 16))
      block("b", { vi: spatial(i) }, ({ vi }) => {
        Z[vi][j] = 0; // error: W5515
      });
  });
