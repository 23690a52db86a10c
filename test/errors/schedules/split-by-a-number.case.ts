// Splits by a number in the place of a list.
import { block, type Buffer, grid, init, program, reduce, Schedule, spatial } from "warpsmith/schedule";

const matmul = program({ X: [48, 40], Y: [32, 40], Z: [48, 32] }, function matmul(X: Buffer<"f32", 2>, Y: Buffer<"f32", 2>, Z: Buffer<"f32", 2>) {
  for (const [i, j, k] of grid(48, 32, 40))
    block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(k) }, ({ vi, vj, vk }) => {
      init(() => {
        Z[vi][vj] = 0;
      });
      Z[vi][vj] += X[vi][vk] * Y[vj][vk];
    });
});

export const run = () => {
  const s = new Schedule(matmul);
  const [i] = s.getLoops(s.getBlock("matmul"));
  s.split(i, 16 as never); // error: W5521
};
