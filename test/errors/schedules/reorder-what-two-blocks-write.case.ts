// Changes the order of iterations in which one block overwrites what another one wrote in an iteration before.
import { block, type Buffer, grid, program, Schedule, spatial } from "warpsmith/schedule";

const overlapping = program({ X: [24, 24], Z: [48, 24] }, function overlapping(X: Buffer<"f32", 2>, Z: Buffer<"f32", 2>) {
  for (const [i, j] of grid(24, 24)) {
    block("left", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => {
      Z[vi + vj][0] = X[vi][vj];
    });
    block("right", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => {
      Z[vi + vj + 1][0] = X[vi][vj] * 2;
    });
  }
});

export const run = () => {
  const s = new Schedule(overlapping);
  const [i, j] = s.getLoops(s.getBlock("left"));
  s.reorder(j, i); // error: W5524
};
