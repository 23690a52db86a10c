// Says that a block reads one row, and it reads the one below, too.
import { type Buffer, block, grid, program, reads, spatial } from "warpsmith/schedule";

export const run = () =>
  program({ X: [17, 16], Z: [16, 16] }, function wrong(X: Buffer<"f32", 2>, Z: Buffer<"f32", 2>) {
    for (const [i, j] of grid(16, 16))
      block("sum", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => {
        reads(X.region([vi, 1], [vj, 1])); // error: W5517
        Z[vi][vj] = X[vi][vj] + X[vi + 1][vj];
      });
  });
