// Two stages, where one is copied while another one is multiplied and the next is read.
import { type Buffer, block, grid, program, reduce, spatial, tensorCorePipeline } from "warpsmith/schedule";

const product = () =>
  program({ A: [64, 64], B: [64, 64], C: [64, 64] }, function matmul(A: Buffer<"f16", 2>, B: Buffer<"f16", 2>, C: Buffer<"f16", 2>) {
    for (const [i, j, r] of grid(64, 64, 64))
      block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(r) }, ({ vi, vj, vk }) => {
        C[vi][vj] += A[vi][vk] * B[vk][vj];
      });
  });

const options = { tile: [32, 32, 32], workgroup: [64, 2, 1], depth: 2, storeStage: 1, instruction: "mma.sync" } as const;
export const run = () => tensorCorePipeline(product(), options); // error: W5624
