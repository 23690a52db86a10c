// Puts a block that reads two neighbours into the block that makes them.
import { alloc, block, type Buffer, grid, program, Schedule, spatial } from "warpsmith/schedule";

const shifted = program({ X: [24], Z: [24] }, function shifted(X: Buffer<"f32", 1>, Z: Buffer<"f32", 1>) {
  const A = alloc("f32", [25]);
  for (const i of grid(25))
    block("pad", { vi: spatial(i) }, ({ vi }) => {
      A[vi] = vi < 24 ? X[vi] : 0;
    });
  for (const i of grid(24))
    block("sum", { vi: spatial(i) }, ({ vi }) => {
      Z[vi] = A[vi] + A[vi + 1];
    });
});

export const run = () => {
  const s = new Schedule(shifted);
  s.reverseComputeInline(s.getBlock("sum")); // error: W5540
};
