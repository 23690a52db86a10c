import { f32, i32 } from "warpsmith";
import { type Buffer, block, grid, init, program, reduce, spatial } from "warpsmith/schedule";

export type Shape = readonly [m: number, n: number, k: number];

/** C += A @ B, all of f16. */
export const adding = ([m, n, k]: Shape) =>
  program({ A: [m, k], B: [k, n], C: [m, n] }, function matmul(A: Buffer<"f16", 2>, B: Buffer<"f16", 2>, C: Buffer<"f16", 2>) {
    for (const [i, j, r] of grid(m, n, k))
      block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(r) }, ({ vi, vj, vk }) => {
        C[vi][vj] += A[vi][vk] * B[vk][vj];
      });
  });

/** C = A @ Bᵀ, f16 → f32. */
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

/** C = A @ B, bf16 → f32. */
export const ofBf16 = ([m, n, k]: Shape) =>
  program({ A: [m, k], B: [k, n], C: [m, n] }, function matmul(A: Buffer<"bf16", 2>, B: Buffer<"bf16", 2>, C: Buffer<"f32", 2>) {
    for (const [i, j, r] of grid(m, n, k))
      block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(r) }, ({ vi, vj, vk }) => {
        init(() => {
          C[vi][vj] = 0;
        });
        C[vi][vj] += f32(A[vi][vk]) * f32(B[vk][vj]);
      });
  });

/** C = A @ Bᵀ, tf32 → f32. */
export const ofTf32 = ([m, n, k]: Shape) =>
  program({ A: [m, k], B: [n, k], C: [m, n] }, function matmul(A: Buffer<"tf32", 2>, B: Buffer<"tf32", 2>, C: Buffer<"f32", 2>) {
    for (const [i, j, r] of grid(m, n, k))
      block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(r) }, ({ vi, vj, vk }) => {
        init(() => {
          C[vi][vj] = 0;
        });
        C[vi][vj] += f32(A[vi][vk]) * f32(B[vj][vk]);
      });
  });

/** C += A @ Bᵀ, i8 → i32. */
export const ofI8 = ([m, n, k]: Shape) =>
  program({ A: [m, k], B: [n, k], C: [m, n] }, function matmul(A: Buffer<"i8", 2>, B: Buffer<"i8", 2>, C: Buffer<"i32", 2>) {
    for (const [i, j, r] of grid(m, n, k))
      block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(r) }, ({ vi, vj, vk }) => {
        C[vi][vj] += i32(A[vi][vk]) * i32(B[vj][vk]);
      });
  });

/** C = Aᵀ @ B for each of a batch, f16 → f32. */
export const batched = (batch: number, [m, n, k]: Shape) =>
  program(
    { A: [batch, k, m], B: [batch, k, n], C: [batch, m, n] },
    function matmul(A: Buffer<"f16", 3>, B: Buffer<"f16", 3>, C: Buffer<"f32", 3>) {
      for (const [b, i, j, r] of grid(batch, m, n, k))
        block("matmul", { vb: spatial(b), vi: spatial(i), vj: spatial(j), vk: reduce(r) }, ({ vb, vi, vj, vk }) => {
          init(() => {
            C[vb][vi][vj] = 0;
          });
          C[vb][vi][vj] += f32(A[vb][vk][vi]) * f32(B[vb][vk][vj]);
        });
    },
  );
