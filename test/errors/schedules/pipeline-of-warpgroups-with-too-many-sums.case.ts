// Gives one warpgroup a tile whose sums it has no registers for.
import { f32 } from "warpsmith";
import { block, type Buffer, grid, init, program, reduce, spatial, tensorCorePipeline } from "warpsmith/schedule";

const matmul = program({ A: [256, 64], B: [64, 256], C: [256, 256] }, function matmul(A: Buffer<"f16", 2>, B: Buffer<"f16", 2>, C: Buffer<"f32", 2>) {
  for (const [i, j, k] of grid(256, 256, 64))
    block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(k) }, ({ vi, vj, vk }) => {
      init(() => {
        C[vi][vj] = 0;
      });
      C[vi][vj] += f32(A[vi][vk]) * f32(B[vk][vj]);
    });
});

export const run = () =>
  tensorCorePipeline(matmul, { instruction: "wgmma", tile: [128, 256, 64], workgroup: [128, 1, 1], depth: 2 }); // error: W5640
