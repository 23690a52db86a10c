// Pads a block that neither adds products up nor computes each element by itself.
import { block, type Buffer, grid, init, program, reduce, Schedule, spatial } from "warpsmith/schedule";

const greatest = program({ X: [24, 24], Z: [24] }, function greatest(X: Buffer<"f32", 2>, Z: Buffer<"f32", 1>) {
  for (const [i, j] of grid(24, 24))
    block("greatest", { vi: spatial(i), vj: reduce(j) }, ({ vi, vj }) => {
      init(() => {
        Z[vi] = -1000;
      });
      Z[vi] = Math.max(Z[vi], X[vi][vj]);
    });
});

export const run = () => {
  const s = new Schedule(greatest);
  s.pad(s.getBlock("greatest"), [16, 16]); // error: W5542
};
