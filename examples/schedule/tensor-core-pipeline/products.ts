import { f32, i32 } from "warpsmith";
import { alloc, type Buffer, block, grid, init, program, reduce, spatial } from "warpsmith/schedule";

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

/** What is computed besides the product, as in the slides of PolyMage: on the result, or on A. */
export type Fusion = "relu" | "constant" | "matrix" | "matrix and relu" | "relu on an input";

/** D = relu(A @ B), + 1, + E, relu(… + E), or relu(A) @ B; f16 → f32. */
export const fused = ([m, n, k]: Shape, fusion: Fusion) =>
  program(
    { A: [m, k], B: [k, n], E: [m, n], D: [m, n] },
    function matmul(A: Buffer<"f16", 2>, B: Buffer<"f16", 2>, E: Buffer<"f32", 2>, D: Buffer<"f32", 2>) {
      const P = alloc("f16", [m, k], "global");
      const C = alloc("f32", [m, n], "global");
      const onInput = fusion === "relu on an input";
      if (onInput)
        for (const [i, r] of grid(m, k))
          block("relu_of_A", { vi: spatial(i), vk: spatial(r) }, ({ vi, vk }) => {
            P[vi][vk] = Math.max(A[vi][vk], 0);
          });
      for (const [i, j, r] of grid(m, n, k))
        block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(r) }, ({ vi, vj, vk }) => {
          init(() => {
            if (onInput) D[vi][vj] = 0;
            else C[vi][vj] = 0;
          });
          if (onInput) D[vi][vj] += f32(P[vi][vk]) * f32(B[vk][vj]);
          else C[vi][vj] += f32(A[vi][vk]) * f32(B[vk][vj]);
        });
      if (onInput) return;
      for (const [i, j] of grid(m, n))
        block("after", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => {
          if (fusion === "relu") D[vi][vj] = Math.max(C[vi][vj], 0);
          else if (fusion === "constant") D[vi][vj] = C[vi][vj] + 1;
          else if (fusion === "matrix") D[vi][vj] = C[vi][vj] + E[vi][vj];
          else D[vi][vj] = Math.max(C[vi][vj] + E[vi][vj], 0);
        });
    },
  );
