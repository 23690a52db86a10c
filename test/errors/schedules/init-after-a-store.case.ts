// Writes init behind another statement of its block.
import { block, type Buffer, grid, init, program, reduce, spatial } from "warpsmith/schedule";

export const run = () =>
  program({ X: [16], Z: [16, 16] }, function wrong(X: Buffer<"f32", 1>, Z: Buffer<"f32", 2>) {
    for (const [i, k] of grid(16, 16))
      block("sum", { vi: spatial(i), vk: reduce(k) }, ({ vi, vk }) => {
        X[vi] += Z[vi][vk];
        init(() => { // error: W5514
          X[vi] = 0;
        });
      });
  });
