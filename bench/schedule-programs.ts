// The products that `bench/schedules.ts` starts from: plain loop nests, A [n, n] @ B [n, n] by rows, and what is computed besides.
import { f16, f32 } from "warpsmith";
import { alloc, type Buffer, block, grid, init, type Program, program, reduce, spatial } from "warpsmith/schedule";
import type { Fusion } from "./problem.ts";
import type { Result } from "./schedule-plans.ts";

const plainF32 = (n: number): Program =>
  program({ A: [n, n], B: [n, n], D: [n, n] }, function matmul(A: Buffer<"f16", 2>, B: Buffer<"f16", 2>, D: Buffer<"f32", 2>) {
    for (const [i, j, k] of grid(n, n, n))
      block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(k) }, ({ vi, vj, vk }) => {
        init(() => {
          D[vi][vj] = 0;
        });
        D[vi][vj] += f32(A[vi][vk]) * f32(B[vk][vj]);
      });
  });

const plainF16 = (n: number): Program =>
  program({ A: [n, n], B: [n, n], D: [n, n] }, function matmul(A: Buffer<"f16", 2>, B: Buffer<"f16", 2>, D: Buffer<"f16", 2>) {
    for (const [i, j, k] of grid(n, n, n))
      block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(k) }, ({ vi, vj, vk }) => {
        init(() => {
          D[vi][vj] = 0;
        });
        D[vi][vj] += A[vi][vk] * B[vk][vj];
      });
  });

/** Sums in f32, results in f16. */
const converted = (n: number): Program =>
  program({ A: [n, n], B: [n, n], D: [n, n] }, function matmul(A: Buffer<"f16", 2>, B: Buffer<"f16", 2>, D: Buffer<"f16", 2>) {
    const C = alloc("f32", [n, n], "global");
    for (const [i, j, k] of grid(n, n, n))
      block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(k) }, ({ vi, vj, vk }) => {
        init(() => {
          C[vi][vj] = 0;
        });
        C[vi][vj] += f32(A[vi][vk]) * f32(B[vk][vj]);
      });
    for (const [i, j] of grid(n, n))
      block("convert", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => {
        D[vi][vj] = f16(C[vi][vj]);
      });
  });

const fusedF32 = (n: number, fusion: Fusion): Program =>
  program(
    { A: [n, n], B: [n, n], E: [n, n], D: [n, n] },
    function matmul(A: Buffer<"f16", 2>, B: Buffer<"f16", 2>, E: Buffer<"f32", 2>, D: Buffer<"f32", 2>) {
      const P = alloc("f16", [n, n], "global");
      const C = alloc("f32", [n, n], "global");
      const onInput = fusion === "relu-input";
      if (onInput)
        for (const [i, k] of grid(n, n))
          block("relu_of_A", { vi: spatial(i), vk: spatial(k) }, ({ vi, vk }) => {
            P[vi][vk] = Math.max(A[vi][vk], 0);
          });
      for (const [i, j, k] of grid(n, n, n))
        block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(k) }, ({ vi, vj, vk }) => {
          init(() => {
            if (onInput) D[vi][vj] = 0;
            else C[vi][vj] = 0;
          });
          if (onInput) D[vi][vj] += f32(P[vi][vk]) * f32(B[vk][vj]);
          else C[vi][vj] += f32(A[vi][vk]) * f32(B[vk][vj]);
        });
      if (onInput) return;
      for (const [i, j] of grid(n, n))
        block("after", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => {
          if (fusion === "relu") D[vi][vj] = Math.max(C[vi][vj], 0);
          else if (fusion === "add-constant") D[vi][vj] = C[vi][vj] + 1;
          else if (fusion === "add-matrix") D[vi][vj] = C[vi][vj] + E[vi][vj];
          else D[vi][vj] = Math.max(C[vi][vj] + E[vi][vj], 0);
        });
    },
  );

/** All in f16, sums too. */
const fusedF16 = (n: number, fusion: Fusion): Program =>
  program(
    { A: [n, n], B: [n, n], E: [n, n], D: [n, n] },
    function matmul(A: Buffer<"f16", 2>, B: Buffer<"f16", 2>, E: Buffer<"f16", 2>, D: Buffer<"f16", 2>) {
      const P = alloc("f16", [n, n], "global");
      const C = alloc("f16", [n, n], "global");
      const onInput = fusion === "relu-input";
      if (onInput)
        for (const [i, k] of grid(n, n))
          block("relu_of_A", { vi: spatial(i), vk: spatial(k) }, ({ vi, vk }) => {
            P[vi][vk] = Math.max(A[vi][vk], 0);
          });
      for (const [i, j, k] of grid(n, n, n))
        block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(k) }, ({ vi, vj, vk }) => {
          init(() => {
            if (onInput) D[vi][vj] = 0;
            else C[vi][vj] = 0;
          });
          if (onInput) D[vi][vj] += P[vi][vk] * B[vk][vj];
          else C[vi][vj] += A[vi][vk] * B[vk][vj];
        });
      if (onInput) return;
      for (const [i, j] of grid(n, n))
        block("after", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => {
          if (fusion === "relu") D[vi][vj] = Math.max(C[vi][vj], 0);
          else if (fusion === "add-constant") D[vi][vj] = C[vi][vj] + 1;
          else if (fusion === "add-matrix") D[vi][vj] = C[vi][vj] + E[vi][vj];
          else D[vi][vj] = Math.max(C[vi][vj] + E[vi][vj], 0);
        });
    },
  );

/** Sums in f32, results in f16. */
const fusedConverted = (n: number, fusion: Fusion): Program =>
  program(
    { A: [n, n], B: [n, n], E: [n, n], D: [n, n] },
    function matmul(A: Buffer<"f16", 2>, B: Buffer<"f16", 2>, E: Buffer<"f16", 2>, D: Buffer<"f16", 2>) {
      const P = alloc("f16", [n, n], "global");
      const C = alloc("f32", [n, n], "global");
      const onInput = fusion === "relu-input";
      if (onInput)
        for (const [i, k] of grid(n, n))
          block("relu_of_A", { vi: spatial(i), vk: spatial(k) }, ({ vi, vk }) => {
            P[vi][vk] = Math.max(A[vi][vk], 0);
          });
      for (const [i, j, k] of grid(n, n, n))
        block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(k) }, ({ vi, vj, vk }) => {
          init(() => {
            C[vi][vj] = 0;
          });
          if (onInput) C[vi][vj] += f32(P[vi][vk]) * f32(B[vk][vj]);
          else C[vi][vj] += f32(A[vi][vk]) * f32(B[vk][vj]);
        });
      for (const [i, j] of grid(n, n))
        block("after", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => {
          if (onInput) D[vi][vj] = f16(C[vi][vj]);
          else if (fusion === "relu") D[vi][vj] = f16(Math.max(C[vi][vj], 0));
          else if (fusion === "add-constant") D[vi][vj] = f16(C[vi][vj] + 1);
          else if (fusion === "add-matrix") D[vi][vj] = f16(C[vi][vj] + f32(E[vi][vj]));
          else D[vi][vj] = f16(Math.max(C[vi][vj] + f32(E[vi][vj]), 0));
        });
    },
  );

/** The plain program of a product, or of one with something besides: those take E behind A and B. */
export function programOf(size: number, work: Fusion | "product", result: Result, sum: Result): Program {
  if (work === "product") return result === "f32" ? plainF32(size) : sum === "f16" ? plainF16(size) : converted(size);
  return result === "f32" ? fusedF32(size, work) : sum === "f16" ? fusedF16(size, work) : fusedConverted(size, work);
}
