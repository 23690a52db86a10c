// Lets warpgroups take turns at tiles where each block has one tile.
import { f32 } from "warpsmith";
import { block, type Buffer, grid, init, program, reduce, spatial, tensorCorePipeline } from "warpsmith/schedule";

const matmul = program({ A: [128, 64], B: [64, 128], C: [128, 128] }, function matmul(A: Buffer<"f16", 2>, B: Buffer<"f16", 2>, C: Buffer<"f32", 2>) {
  for (const [i, j, k] of grid(128, 128, 64))
    block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(k) }, ({ vi, vj, vk }) => {
      init(() => {
        C[vi][vj] = 0;
      });
      C[vi][vj] += f32(A[vi][vk]) * f32(B[vk][vj]);
    });
});

export const run = () =>
  tensorCorePipeline(matmul, { instruction: "wgmma", tile: [128, 128, 64], workgroup: [128, 2, 1], depth: 4, pingpong: true }); // error: W5640
