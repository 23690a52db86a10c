// Calls the axis of a sum spatial, and gives its iterations to threads.
import { block, type Buffer, grid, program, Schedule, spatial } from "warpsmith/schedule";

const sum = program({ A: [64, 64], B: [64] }, function sum(A: Buffer<"f32", 2>, B: Buffer<"f32", 1>) {
  for (const [i, j] of grid(64, 64))
    block("sum", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => {
      B[vi] += A[vi][vj];
    });
});

export const run = () => {
  const sch = new Schedule(sum);
  const [, j] = sch.getLoops(sch.getBlock("sum"));
  sch.bind(j, "threadIdx.x"); // error: W5527
};
