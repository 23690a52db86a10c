import { describe, expect, it } from "vitest";
import { tensorCorePipeline, type WgmmaPipelineOptions } from "warpsmith/schedule";
import { printProgram } from "../../../../src/schedule/ir/print.ts";
import type { Program } from "../../../../src/schedule/ir/types.ts";
import { loweringStages, programKernel } from "../../../../src/schedule/lower/index.ts";
import { specsOf } from "../../../../src/schedule/lower/tensors/specs.ts";
import { Schedule } from "../../../../src/schedule/schedule.ts";
import { programOf } from "../../../schedule/program-of.ts";
import { rotating } from "../../../support/amount.ts";
import { assemble, noPtxas } from "../../../support/ptxas.ts";
import { agree } from "../agree.ts";
import { eachPassComputesTheSame, eachPassPrints } from "./each-pass.ts";
import { type WarpgroupProduct, warpgroupProduct } from "./warpgroup-products.ts";

const small: WgmmaPipelineOptions = { instruction: "wgmma", tile: [128, 64, 64], workgroup: [128, 2, 1], depth: 2, pad: true };
const scheduled = (product: WarpgroupProduct, options: Partial<WgmmaPipelineOptions> = {}) =>
  tensorCorePipeline(warpgroupProduct(product), { ...small, ...options });

describe("tiles that do not divide the shape", () => {
  const cases: readonly (readonly [string, WarpgroupProduct, Partial<WgmmaPipelineOptions>])[] = [
    ["Aᵀ @ Bᵀ, bf16", { shape: [136, 40, 72], order: "tt", dtype: "bf16" }, { tile: [128, 24, 64] }],
    ["relu(A @ B), f16", { shape: [136, 72, 72], result: "f16" }, { stores: "warp" }],
    ["along M", { shape: [72, 64, 64] }, {}],
    ["along N", { shape: [128, 72, 64] }, {}],
    ["along K", { shape: [128, 64, 72] }, {}],
    ["along none", { shape: [128, 64, 64] }, {}],
    ["smaller than a tile", { shape: [8, 8, 8] }, {}],
    ["a row, and a last box of columns that the matrix does not have", { shape: [129, 104, 64] }, { tile: [128, 96, 64] }],
    ["blocks with several tiles, in groups of rows", { shape: [392, 72, 72] }, { blocks: 3, swizzle: 3 }],
    ["Aᵀ @ B", { shape: [136, 72, 72], order: "tn" }, {}],
    ["A @ Bᵀ", { shape: [72, 136, 72], order: "nt" }, { tile: [128, 104, 64] }],
    ["relu(A @ B), f16, stored by threads", { shape: [136, 72, 72], result: "f16" }, { stores: "thread" }],
    ["f32, stored by threads", { shape: [136, 72, 64] }, { stores: "thread" }],
    ["f32, stored by warps", { shape: [136, 72, 64] }, { stores: "warp", wait: 0 }],
    ["three warpgroups", { shape: [200, 72, 64] }, { tile: [192, 96, 64], workgroup: [128, 3, 1] }],
    ["128 rows of a warpgroup", { shape: [264, 40, 64] }, { tile: [256, 32, 64] }],
  ];
  it.each(cases)("%s", rotating, (_, product, options) => agree(scheduled(product, options).schedule.program));
});

describe("rows of B whose last panel is filled in part", () => {
  const cases: readonly (readonly [string, WarpgroupProduct, Partial<WgmmaPipelineOptions>])[] = [
    ["less than a panel", { shape: [128, 40, 128] }, { tile: [128, 40, 64] }],
    ["160 columns", { shape: [64, 160, 128] }, { tile: [64, 160, 64], workgroup: [128, 1, 1] }],
    ["200 columns to f16", { shape: [64, 200, 64], result: "f16" }, { tile: [64, 200, 64], workgroup: [128, 1, 1] }],
    ["72 columns, bf16, Aᵀ", { shape: [128, 144, 64], dtype: "bf16", order: "tn" }, { tile: [128, 72, 64] }],
  ];
  it.each(cases)("%s", rotating, (_, product, options) => agree(scheduled(product, { ...options, pad: false }).schedule.program));
});

/** A product, and what is made of its sums. */
const fused = (value: string, params: string, shapes: string): Program =>
  programOf(`import { f16, f32 } from "warpsmith";
import { alloc, type Buffer, block, grid, init, program, reduce, spatial } from "warpsmith/schedule";
export const product = program({ A: [136, 72], B: [72, 104], ${shapes}C: [136, 104] }, function product(A: Buffer<"f16", 2>, B: Buffer<"f16", 2>, ${params}C: Buffer<"f32", 2>) {
  const S = alloc("f32", [136, 104], "global");
  const T = alloc("f32", [136, 104], "global");
  for (const [i, j, k] of grid(136, 104, 72))
    block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(k) }, ({ vi, vj, vk }) => {
      init(() => { S[vi][vj] = 0; });
      S[vi][vj] += f32(A[vi][vk]) * f32(B[vk][vj]);
    });
  for (const [i, j] of grid(136, 104))
    block("first", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => { T[vi][vj] = S[vi][vj] + 1; });
  for (const [j, i] of grid(104, 136))
    block("second", { vj: spatial(j), vi: spatial(i) }, ({ vj, vi }) => { C[vi][vj] = ${value}; });
});`);

describe("what blocks behind the product read is clipped with it", () => {
  const cases: readonly (readonly [string, string, string, Partial<WgmmaPipelineOptions>])[] = [
    ["T[vi][vj] + f32(E[vi][vj])", 'E: Buffer<"f16", 2>, ', "E: [136, 104], ", {}],
    ["T[vi][vj] * 2", "", "", {}],
    ["T[vi][vj] + f32(E[vj][vi])", 'E: Buffer<"f16", 2>, ', "E: [104, 136], ", { stores: "warp" }],
    ["T[vi][vj] + E[vj]", 'E: Buffer<"f32", 1>, ', "E: [104], ", { stores: "thread" }],
    ["T[vi][vj] * E[vi]", 'E: Buffer<"f32", 1>, ', "E: [136], ", { blocks: 3 }],
    ["T[vi][vj] > 0 ? T[vi][vj] : E[vi][vj]", 'E: Buffer<"f32", 2>, ', "E: [136, 104], ", {}],
  ];
  it.each(cases)("%s", rotating, async (value, params, shapes, options) => {
    const { program } = tensorCorePipeline(fused(value, params, shapes), { ...small, ...options }).schedule;
    const text = printProgram(loweringStages(program).at(-1)?.program ?? program);
    expect(text).toMatch(/register_map/);
    expect(text).not.toMatch(/C_pad\[|C\[/);
    await agree(program);
  });
});

describe("each pass", () => {
  const made = () => scheduled({ shape: [136, 72, 72], result: "f16" }, { blocks: 3, swizzle: 2 });
  eachPassComputesTheSame("computes the same", made);
  eachPassPrints("gives a program that verifies, and prints as what makes it", made);
  it("is steps that are replayed from JSON", rotating, () => {
    const { schedule } = made();
    const trace = JSON.parse(JSON.stringify(schedule.trace()));
    expect(Schedule.replay(schedule.original, trace).print()).toBe(schedule.print());
  });
});

/** A copy of a part of a matrix in one block, to shared memory, or from registers. */
const copied = (statement: string, where = ""): Schedule =>
  new Schedule(
    programOf(`import { alloc, bind, type Buffer, block, grid, program, spatial, where } from "warpsmith/schedule";
export const copy = program({ A: [100, 40], C: [100, 40] }, function copy(A: Buffer<"f16", 2>, C: Buffer<"f16", 2>) {
  const S = alloc("f16", [128, 64], "shared", { swizzle: "128B" });
  const R = alloc("f16", [128, 64], "wgmma.accumulator");
  const Q = alloc("f16", [100, 64], "wgmma.accumulator");
  for (const [i, j] of grid(128, 64))
    block("copy", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => { ${where} ${statement} });
});`),
  );
const tensorized = (s: Schedule, intrinsic: string): string => {
  const [loop] = s.getLoops(s.getBlock("copy"));
  if (!loop) throw new Error("there is no loop");
  s.tensorize(loop, intrinsic);
  return s.print();
};
const load = "tma_load_f16_128x64_128B";
const store = "tma_store_f16_128x64";

describe("a copy is TMA's where its conditions are the ends of the matrix, and no other", () => {
  it.each([
    ["all ends", "S[vi][vj] = vi < 100 && vj < 40 ? A[vi][vj] : 0;", "", load],
    ["all ends of what is stored", "C[vi][vj] = R[vi][vj];", "where(vi < 100 && vj < 40);", store],
    ["one of them", "C[vi][vj] = R[vi][vj];", "where(vj < 40); where(vi < 100);", `${store}_warp`],
    ["threads", "C[vi][vj] = R[vi][vj];", "where(vi < 100 && vj < 40);", "wgmma_store_f16_128x64"],
  ])("%s", (_, statement, where, name) => expect(tensorized(copied(statement, where), name)).toContain(`intrinsic("${name}"`));

  it.each([
    ["another end", "S[vi][vj] = vi < 99 && vj < 40 ? A[vi][vj] : 0;", "", load, /reads 0 where a buffer ends/],
    ["ends in the other order", "S[vi][vj] = vi < 40 && vj < 100 ? A[vi][vj] : 0;", "", load, /reads 0 where a buffer ends/],
    ["another number than 0", "S[vi][vj] = vi < 100 && vj < 40 ? A[vi][vj] : 1;", "", load, /reads 0 where a buffer ends/],
    ["-0", "S[vi][vj] = vi < 100 && vj < 40 ? A[vi][vj] : -0;", "", load, /reads 0 where a buffer ends/],
    ["0 inside", "S[vi][vj] = vi < 100 && vj < 40 ? 0 : A[vi][vj];", "", load, /reads 0 where a buffer ends/],
    ["or", "S[vi][vj] = vi < 100 || vj < 40 ? A[vi][vj] : 0;", "", load, /reads 0 where a buffer ends/],
    ["a beginning", "S[vi][vj] = vi >= 1 && vj < 40 ? A[vi][vj] : 0;", "", load, /reads 0 where a buffer ends/],
    ["what is left as it was", "S[vi][vj] = A[vi][vj];", "where(vi < 100 && vj < 40);", load, /only where a condition holds/],
    ["another end of what is stored", "C[vi][vj] = R[vi][vj];", "where(vi < 99 && vj < 40);", store, /only where a condition/],
    [
      "what registers have no rows for",
      "C[vi][vj] = Q[vi][vj];",
      "where(vi < 100 && vj < 40);",
      store,
      /part of Q .* may reach beyond/,
    ],
    ["one column more", "C[vi][vj] = R[vi][vj];", "where(vi < 100 && vj <= 40);", store, /only where a condition holds/],
  ])("not %s", (_, statement, where, name, why) => {
    const s = copied(statement, where);
    const before = s.print();
    expect(() => tensorized(s, name)).toThrow(why);
    expect(s.print()).toBe(before);
  });
});

describe.skipIf(noPtxas !== undefined)("ptxas keeps everything in registers, and products apart", () => {
  const tiles = [
    { tile: [128, 224, 64], workgroup: [128, 2, 1], depth: 4 },
    { tile: [256, 200, 64], workgroup: [128, 2, 1], depth: 3 },
    { tile: [192, 192, 64], workgroup: [128, 3, 1], depth: 3 },
    { tile: [256, 128, 64], workgroup: [128, 4, 1], depth: 3 },
  ] as const;
  it.each(tiles.map((t) => [t.tile.join("x"), t] as const))("%s", (_, t) => {
    const { program } = scheduled({ shape: [5888, 5880, 5896] }, { ...t, blocks: 132, swizzle: 8 }).schedule;
    const { ptx } = programKernel(program).compile(...specsOf(program));
    expect(ptx).not.toContain(".local");
    expect(assemble(ptx)).toMatchObject({ ok: true, spills: 0, warnings: [] });
  });
});

describe("what it refuses", () => {
  const shape = [136, 72, 72] as const;
  it.each<readonly [string, RegExp, WarpgroupProduct, Partial<WgmmaPipelineOptions>]>([
    ["tiles that do not divide, unasked", /along m, n, k, and `pad` is not true/, { shape }, { pad: false }],
    ["a word", /`pad`/, { shape }, { pad: "yes" as never }],
    ["too many sums of two warpgroups", /208 sums, and has registers for 200/, { shape }, { tile: [256, 208, 64] }],
    ["wide tiles of three", /208 columns, and where 3 warpgroups/, { shape }, { tile: [192, 208, 64], workgroup: [128, 3, 1] }],
  ])("%s", (_, why, product, options) => expect(() => scheduled(product, options)).toThrow(why));

  it("a result that is read, too", () =>
    expect(() => tensorCorePipeline(fused("T[vi][vj] + C[vi][vj]", "", ""), small)).toThrow(/'second' reads what it writes/));

  it("rows of which TMA takes none, at the launch", () => {
    const { program } = scheduled({ shape: [128, 64, 68] }).schedule;
    expect(() => programKernel(program).compile(...specsOf(program))).toThrow(/W5577|136 bytes along dimension 0/);
  });
});
