import { describe, it } from "vitest";
import { Schedule, type ThreadTag } from "warpsmith/schedule";
import type { Program } from "../../../src/schedule/ir/types.ts";
import { programOf } from "../../schedule/program-of.ts";
import { some } from "../../support/amount.ts";
import { agree } from "./agree.ts";

const matmul = (): Program =>
  programOf(`import { f32 } from "warpsmith";
import { type Buffer, block, grid, init, program, reduce, spatial } from "warpsmith/schedule";
export const p = program({ X: [32, 32], Y: [16, 32], Z: [32, 16] }, function matmul(X: Buffer<"f16", 2>, Y: Buffer<"f16", 2>, Z: Buffer<"f32", 2>) {
  for (const [i, j, k] of grid(32, 16, 32))
    block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(k) }, ({ vi, vj, vk }) => {
      init(() => {
        Z[vi][vj] = 0;
      });
      Z[vi][vj] += f32(X[vi][vk]) * f32(Y[vj][vk]);
    });
});`);

/** The copies run by so many threads along each index; the products by one warp, bound to none. */
function scheduled(prefix: "wmma" | "mma", copies: readonly (readonly [ThreadTag, number])[]): Program {
  const sch = new Schedule(matmul());
  const [i, j, k] = sch.getLoops(sch.getBlock("matmul"));
  if (!i || !j || !k) throw new Error("the product has three loops");
  const [w, i1] = sch.split(i, [2, 16]);
  const [k0, k1] = sch.split(k, [null, 16]);
  if (!w || !i1 || !k0 || !k1) throw new Error("a split gives two loops");
  sch.reorder(w, k0, i1, j, k1);
  const tile = sch.blockize(i1);
  for (const operand of ["X", "Y"]) {
    const copy = sch.cacheRead(tile, operand, "shared");
    sch.computeAt(copy, k0);
    const made = sch.split(sch.fuse(...sch.getLoops(copy).slice(-2)), [null, ...copies.map(([, threads]) => threads)]);
    copies.forEach(([tag], n) => {
      const loop = made[n + 1];
      if (loop) sch.bind(loop, tag);
    });
  }
  const a = sch.cacheRead(tile, "X_shared", `${prefix}.matrix_a`);
  const b = sch.cacheRead(tile, "Y_shared", `${prefix}.matrix_b`);
  const sums = sch.cacheWrite(tile, "Z", `${prefix}.accumulator`);
  sch.reverseComputeAt(sums, w);
  const [zero, add] = sch.decomposeReduction(tile, k0);
  const outer = (block: typeof a) => sch.getLoops(block).at(-2) ?? i;
  sch.tensorize(outer(a), `${prefix}_load_a`);
  sch.tensorize(outer(b), `${prefix}_load_b`);
  sch.tensorize(zero, `${prefix}_fill`);
  sch.tensorize(add, `${prefix}_sync`);
  sch.tensorize(outer(sums), `${prefix}_store`);
  return sch.program;
}

const warps: readonly (readonly [string, Parameters<typeof scheduled>[1]])[] = [
  [
    "y",
    [
      ["threadIdx.y", 2],
      ["threadIdx.x", 32],
    ],
  ],
  [
    "y and z",
    [
      ["threadIdx.z", 2],
      ["threadIdx.y", 2],
      ["threadIdx.x", 32],
    ],
  ],
  ["x", [["threadIdx.x", 64]]],
];

describe("products in no loop over the warps that copy", () => {
  it.each(some(warps, 1))("are right by wmma where those lie along %s", (_, copies) => agree(scheduled("wmma", copies)));
  it.each(some([...warps.slice(0, 2)].reverse(), 0))("are right by mma.sync where those lie along %s", (_, copies) =>
    agree(scheduled("mma", copies), ["strict"]),
  );
});
