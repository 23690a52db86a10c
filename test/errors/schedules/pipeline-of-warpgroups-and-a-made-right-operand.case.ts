// Computes something of the right operand of a product of warpgroups before it is multiplied.
import { f32 } from "warpsmith";
import { alloc, block, type Buffer, grid, init, program, reduce, spatial, tensorCorePipeline } from "warpsmith/schedule";

const matmul = program({ A: [128, 64], B: [64, 128], C: [128, 128] }, function matmul(A: Buffer<"f16", 2>, B: Buffer<"f16", 2>, C: Buffer<"f32", 2>) {
  const positive = alloc("f16", [64, 128], "global");
  for (const [k, j] of grid(64, 128))
    block("relu", { vk: spatial(k), vj: spatial(j) }, ({ vk, vj }) => {
      positive[vk][vj] = Math.max(B[vk][vj], 0);
    });
  for (const [i, j, k] of grid(128, 128, 64))
    block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(k) }, ({ vi, vj, vk }) => {
      init(() => {
        C[vi][vj] = 0;
      });
      C[vi][vj] += f32(A[vi][vk]) * f32(positive[vk][vj]);
    });
});

export const run = () =>
  tensorCorePipeline(matmul, { instruction: "wgmma", tile: [128, 128, 64], workgroup: [128, 2, 1], depth: 4 }); // error: W5640
