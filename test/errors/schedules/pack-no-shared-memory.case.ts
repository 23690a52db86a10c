// Packs shared memory where there is none.
import { alloc, block, type Buffer, grid, program, Schedule, spatial } from "warpsmith/schedule";

const chain = program({ X: [24, 24], Z: [24, 24] }, function chain(X: Buffer<"f32", 2>, Z: Buffer<"f32", 2>) {
  const A = alloc("f32", [24, 24]);
  for (const [i, j] of grid(24, 24))
    block("twice", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => {
      A[vi][vj] = X[vi][vj] * 2;
    });
  for (const [i, j] of grid(24, 24))
    block("plus", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => {
      Z[vi][vj] = A[vi][vj] + 1;
    });
});

export const run = () => {
  const s = new Schedule(chain);
  s.packShared(); // error: W5526
};
