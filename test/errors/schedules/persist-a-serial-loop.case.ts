// Shares the iterations of a serial loop out among blocks of the launch.
import { block, type Buffer, grid, program, Schedule, spatial } from "warpsmith/schedule";

const twice = program({ X: [64, 64], Y: [64, 64] }, function twice(X: Buffer<"f32", 2>, Y: Buffer<"f32", 2>) {
  for (const [i, j] of grid(64, 64))
    block("twice", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => {
      Y[vi][vj] = X[vi][vj] * 2;
    });
});

export const run = () => {
  const s = new Schedule(twice);
  const [i] = s.getLoops(s.getBlock("twice"));
  s.persist(i, 16); // error: W5527
};
