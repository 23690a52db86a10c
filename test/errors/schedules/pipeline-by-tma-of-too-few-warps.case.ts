// TMA is asked to copy for two warps.
import { type Buffer, block, grid, program, reduce, spatial, tensorCorePipeline } from "warpsmith/schedule";

const product = () =>
  program({ A: [64, 64], B: [64, 64], C: [64, 64] }, function matmul(A: Buffer<"f16", 2>, B: Buffer<"f16", 2>, C: Buffer<"f16", 2>) {
    for (const [i, j, r] of grid(64, 64, 64))
      block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(r) }, ({ vi, vj, vk }) => {
        C[vi][vj] += A[vi][vk] * B[vk][vj];
      });
  });
const warps = { tile: [32, 32, 16], workgroup: [32, 2, 1], depth: 3, storeStage: 1 } as const;

export const run = () => tensorCorePipeline(product(), { ...warps, copies: "tma" }); // error: W5625
