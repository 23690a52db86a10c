// Permutes the rows of a buffer that has padding between them.
import { block, type Buffer, grid, program, Schedule, spatial } from "warpsmith/schedule";

const twice = program({ X: [64, 64], Y: [64, 64] }, function twice(X: Buffer<"f32", 2>, Y: Buffer<"f32", 2>) {
  for (const [i, j] of grid(64, 64))
    block("twice", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => {
      Y[vi][vj] = X[vi][vj] * 2;
    });
});

export const run = () => {
  const s = new Schedule(twice);
  s.cacheRead(s.getBlock("twice"), "X", "shared");
  s.storageAlign("X_shared", 4);
  s.storageSwizzle("X_shared", "128B"); // error: W5526
};
