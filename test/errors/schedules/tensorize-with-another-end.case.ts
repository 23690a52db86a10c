// Copies rows up to another one than the last, and TMA ends where the matrix does.
import { block, type Buffer, alloc, grid, program, Schedule, spatial } from "warpsmith/schedule";

const copy = program({ A: [100, 64] }, function copy(A: Buffer<"f16", 2>) {
  const S = alloc("f16", [128, 64], "shared", { swizzle: "128B" });
  for (const [i, j] of grid(128, 64))
    block("copy", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => {
      S[vi][vj] = vi < 99 ? A[vi][vj] : 0;
    });
});

export const run = () => {
  const s = new Schedule(copy);
  const [rows] = s.getLoops(s.getBlock("copy"));
  if (rows) s.tensorize(rows, "tma_load_f16_128x64_128B"); // error: W5528
};
