// Has TMA fill rows with 8 elements after each, and the buffer has none.
import { tensorSpec } from "warpsmith";
import { alloc, block, type Buffer, grid, intrinsic, program, programKernel, spatial } from "warpsmith/schedule";

const first = program({ A: [64, 64], B: [64, 64] }, function first(A: Buffer<"f16", 2>, B: Buffer<"f16", 2>) {
  const a = alloc("f16", [64, 64], "shared");
  intrinsic("tma_load_f16_64x64_pad8", A.region([0, 64], [0, 64]), a.region([0, 64], [0, 64])); // error: W5602
  for (const [i, j] of grid(64, 64))
    block("copy", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => {
      B[vi][vj] = a[vi][vj];
    });
});

export const run = () => programKernel(first).compile(tensorSpec("f16", [64, 64]), tensorSpec("f16", [64, 64]));
