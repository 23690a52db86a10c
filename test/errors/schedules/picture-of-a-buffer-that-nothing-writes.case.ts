// Draws who writes an operand.
import { f32 } from "warpsmith";
import { block, type Buffer, drawBuffer, grid, init, program, reduce, spatial } from "warpsmith/schedule";

const matmul = program({ X: [48, 40], Y: [32, 40], Z: [48, 32] }, function matmul(X: Buffer<"f16", 2>, Y: Buffer<"f16", 2>, Z: Buffer<"f32", 2>) {
  for (const [i, j, k] of grid(48, 32, 40))
    block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(k) }, ({ vi, vj, vk }) => {
      init(() => {
        Z[vi][vj] = 0;
      });
      Z[vi][vj] += f32(X[vi][vk]) * f32(Y[vj][vk]);
    });
});

export const run = () => {
  drawBuffer(matmul, "X", { access: "write" }); // error: W5545
};
