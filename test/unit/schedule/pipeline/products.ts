import { f32, i32 } from "warpsmith";
import { type Buffer, block, grid, init, program, reduce, spatial } from "warpsmith/schedule";

type Shape = readonly [m: number, n: number, k: number];

/** C += A · B, all of f16, row by row. */
export const adding = ([m, n, k]: Shape) =>
  program({ A: [m, k], B: [k, n], C: [m, n] }, function matmul(A: Buffer<"f16", 2>, B: Buffer<"f16", 2>, C: Buffer<"f16", 2>) {
    for (const [i, j, r] of grid(m, n, k))
      block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(r) }, ({ vi, vj, vk }) => {
        C[vi][vj] += A[vi][vk] * B[vk][vj];
      });
  });

/** C = A · Bᵀ, f16 → f32. */
export const transposed = ([m, n, k]: Shape) =>
  program({ A: [m, k], B: [n, k], C: [m, n] }, function matmul(A: Buffer<"f16", 2>, B: Buffer<"f16", 2>, C: Buffer<"f32", 2>) {
    for (const [i, j, r] of grid(m, n, k))
      block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(r) }, ({ vi, vj, vk }) => {
        init(() => {
          C[vi][vj] = 0;
        });
        C[vi][vj] += f32(A[vi][vk]) * f32(B[vj][vk]);
      });
  });
export const unused = i32;
