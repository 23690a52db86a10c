import { f32 } from "warpsmith";
import { type Buffer, block, grid, init, program, reduce, spatial } from "warpsmith/schedule";

/** Z = X @ Yᵀ of squares, f16 → f32: each element is set to 0 and then added to. */
export const matmulOf = (n: number) =>
  program({ X: [n, n], Y: [n, n], Z: [n, n] }, function matmul(X: Buffer<"f16", 2>, Y: Buffer<"f16", 2>, Z: Buffer<"f32", 2>) {
    for (const [i, j, k] of grid(n, n, n))
      block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(k) }, ({ vi, vj, vk }) => {
        init(() => {
          Z[vi][vj] = 0;
        });
        Z[vi][vj] += f32(X[vi][vk]) * f32(Y[vj][vk]);
      });
  });
