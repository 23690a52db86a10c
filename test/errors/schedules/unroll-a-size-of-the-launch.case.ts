// Writes out as many iterations as the launch says.
import { block, type Buffer, grid, program, Schedule, spatial } from "warpsmith/schedule";

const copy = program({ X: ["N"], Z: ["N"] }, function copy(X: Buffer<"f32", 1>, Z: Buffer<"f32", 1>) {
  for (const i of grid(X.shape[0]))
    block("copy", { vi: spatial(i) }, ({ vi }) => {
      Z[vi] = X[vi];
    });
});

export const run = () => {
  const s = new Schedule(copy);
  const [i] = s.getLoops(s.getBlock("copy"));
  s.unroll(i); // error: W5525
};
