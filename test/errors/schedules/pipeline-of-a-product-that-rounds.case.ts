// Multiplies in f16, and adds to f32.
import { block, type Buffer, grid, init, program, reduce, spatial, tensorCorePipeline } from "warpsmith/schedule";

const matmul = program({ A: [64, 64], B: [64, 64], C: [64, 64] }, function matmul(A: Buffer<"f16", 2>, B: Buffer<"f16", 2>, C: Buffer<"f32", 2>) {
  for (const [i, j, k] of grid(64, 64, 64))
    block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(k) }, ({ vi, vj, vk }) => {
      init(() => {
        C[vi][vj] = 0;
      });
      C[vi][vj] += A[vi][vk] * B[vk][vj];
    });
});

export const run = () =>
  tensorCorePipeline(matmul, { tile: [32, 32, 16], workgroup: [64, 2, 1], depth: 3, storeStage: 1 }); // error: W5610
