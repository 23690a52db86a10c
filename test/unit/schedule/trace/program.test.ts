import { expect, test } from "vitest";
import { interpret } from "../../../../src/schedule/ir/interpret.ts";
import { printProgram } from "../../../../src/schedule/ir/print.ts";
import { sameProgram } from "../../../../src/schedule/ir/same.ts";
import { programOf } from "../../../schedule/program-of.ts";

const matmul = `import { f32 } from "warpsmith";
import { block, type Buffer, grid, init, program, reduce, spatial } from "warpsmith/schedule";

export const matmul = program({ X: [64, 32], Y: [16, 32], Z: [64, 16] }, function matmul(X: Buffer<"f16", 2>, Y: Buffer<"f16", 2>, Z: Buffer<"f32", 2>) {
  for (const [i, j, k] of grid(64, 16, 32))
    block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(k) }, ({ vi, vj, vk }) => {
      init(() => {
        Z[vi][vj] = 0;
      });
      Z[vi][vj] += f32(X[vi][vk]) * f32(Y[vj][vk]);
    });
});
`;

test("a product is traced, printed as it was written, traced again, and run", () => {
  const p = programOf(matmul);
  expect(printProgram(p)).toBe(matmul);
  expect(sameProgram(p, programOf(printProgram(p)))).toBe(true);
  const X = Float32Array.from({ length: 64 * 32 }, (_, i) => (i % 7) - 3);
  const Y = Float32Array.from({ length: 16 * 32 }, (_, i) => (i % 5) - 2);
  const Z = new Float32Array(64 * 16);
  interpret(p, { X, Y, Z });
  const expected = Array.from(Z, (_, n) => {
    const [i, j] = [Math.floor(n / 16), n % 16];
    return Array.from({ length: 32 }, (_, k) => (X[i * 32 + k] ?? 0) * (Y[j * 32 + k] ?? 0)).reduce((a, b) => a + b, 0);
  });
  expect([...Z]).toEqual(expected);
});
