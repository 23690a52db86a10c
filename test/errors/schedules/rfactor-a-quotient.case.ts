// Takes quotients apart, whose order counts.
import { block, type Buffer, grid, init, program, reduce, Schedule, spatial } from "warpsmith/schedule";

const quotients = program({ X: [24, 8], Z: [24] }, function quotients(X: Buffer<"f32", 2>, Z: Buffer<"f32", 1>) {
  for (const [i, k] of grid(24, 8))
    block("quotients", { vi: spatial(i), vk: reduce(k) }, ({ vi, vk }) => {
      init(() => {
        Z[vi] = 1;
      });
      Z[vi] = Z[vi] / X[vi][vk];
    });
});

export const run = () => {
  const s = new Schedule(quotients);
  const [, k] = s.getLoops(s.getBlock("quotients"));
  s.rfactor(k); // error: W5541
};
