// What is made of a product, which is itself a result of the program.
import { type Buffer, block, grid, init, program, reduce, spatial, tensorCorePipeline } from "warpsmith/schedule";

const product = () =>
  program({ A: [64, 64], B: [64, 64], C: [64, 64], D: [64, 64] }, function matmul(A: Buffer<"f16", 2>, B: Buffer<"f16", 2>, C: Buffer<"f16", 2>, D: Buffer<"f16", 2>) {
    for (const [i, j, r] of grid(64, 64, 64))
      block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(r) }, ({ vi, vj, vk }) => {
        init(() => { C[vi][vj] = 0; });
        C[vi][vj] += A[vi][vk] * B[vk][vj];
      });
    for (const [i, j] of grid(64, 64))
      block("relu", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => { D[vi][vj] = Math.max(C[vi][vj], 0); });
  });

export const run = () => tensorCorePipeline(product(), { tile: [32, 32, 16], workgroup: [64, 2, 1], depth: 3, storeStage: 1 }); // error: W5626
