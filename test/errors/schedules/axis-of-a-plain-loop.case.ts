// Loops with a plain `for` around a block.
import { block, type Buffer, program, spatial } from "warpsmith/schedule";

export const run = () =>
  program({ X: [64], Z: [64] }, function copy(X: Buffer<"f32", 1>, Z: Buffer<"f32", 1>) {
    for (let i = 0; i < 64; i++)
      block("copy", { vi: spatial(i) }, ({ vi }) => { // error: W5508
        Z[vi] = X[vi];
      });
  });
