import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type TensorCorePipelineOptions, tensorCorePipeline } from "warpsmith/schedule";
import { paths } from "../../../../bench/schedule-plans.ts";
import type { Program } from "../../../../src/schedule/ir/types.ts";
import { programKernel } from "../../../../src/schedule/lower/index.ts";
import { lowerProgram } from "../../../../src/schedule/lower/lower-program.ts";
import { specsOf } from "../../../../src/schedule/lower/tensors/specs.ts";
import { rotating, some } from "../../../support/amount.ts";
import { assemble, noPtxas } from "../../../support/ptxas.ts";
import { agree } from "../agree.ts";
import { eachPassComputesTheSame, eachPassPrints } from "./each-pass.ts";
import { products } from "./products.ts";

const { adding, transposed, ofBf16, ofTf32, ofI8, batched, fused } = products;
const small: TensorCorePipelineOptions = {
  instruction: "mma.sync",
  tile: [32, 32, 32],
  workgroup: [64, 2, 1],
  depth: 3,
  storeStage: 1,
};
const ptxOf = (program: Program): string => programKernel(program).compile(...specsOf(program)).ptx;
const count = (text: string, what: RegExp): number => text.match(new RegExp(what, "g"))?.length ?? 0;

it("IREE's case prints as it did, pass by pass", () => {
  const path = join(import.meta.dirname, "512x512x128-mma-sync.txt");
  const text = tensorCorePipeline(adding([512, 512, 128]), small).printAfterAll();
  if (process.env.UPDATE) writeFileSync(path, text);
  expect(existsSync(path), "UPDATE=1 writes it").toBe(true);
  expect(text).toBe(readFileSync(path, "utf8"));
});

describe("each pass computes the same", () => {
  const cases: readonly (readonly [string, Program, TensorCorePipelineOptions])[] = [
    ["C += A @ B, f16", adding([64, 32, 96]), small],
    ["C = A @ Bᵀ, f16 → f32", transposed([32, 32, 128]), { ...small, promoteC: "registers", epilogue: "predicated" }],
  ];
  for (const [name, program, options] of cases) eachPassComputesTheSame(name, () => tensorCorePipeline(program, options));
});

describe("products that it takes", () => {
  type Case = readonly [string, Program, TensorCorePipelineOptions];
  const once: readonly Case[] = [["tf32 → f32, A @ Bᵀ", ofTf32([32, 32, 80]), { ...small, tile: [32, 32, 16] }]];
  const more: readonly Case[] = [
    ["shapes that are padded, a predicated epilogue", transposed([24, 32, 150]), { ...small, pad: true, epilogue: "predicated" }],
    ["f16 → f16, adding, sums in registers", adding([32, 32, 128]), { ...small, promoteC: "registers" }],
    ["i8 → i32, adding", ofI8([32, 32, 128]), { ...small, tile: [32, 32, 64] }],
    ["a batch, Aᵀ @ B", batched(2, [32, 32, 128]), small],
    ["f16 → f32, A @ Bᵀ", transposed([64, 64, 128]), small],
    ["bf16 → f32, A @ B", ofBf16([64, 32, 128]), small],
    ["several instructions in a warp", adding([64, 64, 256]), { ...small, tile: [64, 64, 64], workgroup: [64, 1, 1] }],
    ["one warp", adding([32, 32, 128]), { ...small, tile: [32, 16, 32], workgroup: [32, 1, 1] }],
    ["one tile of K", transposed([32, 32, 32]), small],
    ["fewer tiles of K than stages", adding([32, 32, 64]), { ...small, depth: 4 }],
    ["as many tiles of K as stages", adding([32, 32, 96]), small],
    ["three groups in a tile", adding([32, 32, 240]), { ...small, tile: [32, 32, 48] }],
    ["a predicated epilogue", adding([32, 32, 160]), { ...small, epilogue: "predicated" }],
    ["loads beside their products", adding([32, 32, 160]), { ...small, doubleBuffer: false }],
    ["rows of tiles in turn", transposed([96, 64, 128]), { ...small, swizzle: 2 }],
    ["rows of their own padding", transposed([32, 32, 128]), { ...small, padding: 8 }],
    ["rows without padding", transposed([32, 32, 128]), { ...small, padding: 0 }],
    ["shapes that are padded", transposed([24, 40, 150]), { ...small, pad: true }],
  ];
  const run = (_: string, program: Program, options: TensorCorePipelineOptions) =>
    agree(tensorCorePipeline(program, options).schedule.program);
  it.each(once)("%s", run);
  it.each(more)("%s", rotating, run);
});

describe("what is computed besides the product", () => {
  const fusions = ["relu on an input", "relu", "constant", "matrix", "matrix and relu"];
  it.each(fusions)("%s", rotating, async (fusion) => {
    const { schedule } = tensorCorePipeline(fused([64, 32, 96], fusion), small);
    const names = schedule.getBlocks().map((b) => b.name);
    expect(names.includes("after") || names.includes("relu_of_A"), names.join()).toBe(false);
    await agree(schedule.program);
  });
});

describe("wmma", () => {
  const wmma: TensorCorePipelineOptions = { ...small, instruction: "wmma" };
  const cases: readonly (readonly [string, Program, TensorCorePipelineOptions])[] = [
    ["loads ahead, with a peeled epilogue", adding([32, 32, 160]), { ...wmma, doubleBuffer: true, epilogue: "peeled" }],
    ["loads ahead, too", transposed([32, 32, 160]), { ...wmma, doubleBuffer: true }],
    ["reads rows 32 bytes longer", transposed([64, 64, 128]), { ...wmma, padding: 16 }],
    [
      "of one warp loads ahead",
      adding([32, 32, 128]),
      { ...wmma, tile: [32, 16, 32], workgroup: [32, 1, 1], doubleBuffer: true },
    ],
  ];
  it.each(some(cases, 0))("%s", async (_, program, options) => {
    await agree(tensorCorePipeline(program, options).schedule.program);
  });
  it("takes a peeled epilogue and stays a loop", rotating, () => {
    const options: TensorCorePipelineOptions = { ...wmma, epilogue: "peeled", promoteC: "registers" };
    const ptx = ptxOf(tensorCorePipeline(transposed([64, 64, 4096]), options).schedule.program);
    expect(count(ptx, /wmma\.mma/)).toBe(6);
  });
});

it("what is skipped at the end is one branch in an iteration", rotating, () => {
  const options: TensorCorePipelineOptions = { ...small, instruction: "wmma", tile: [64, 64, 32], promoteC: "registers" };
  const ptx = ptxOf(tensorCorePipeline(transposed([64, 64, 4096]), options).schedule.program);
  const loop = /\$for_0:[\s\S]*bra \$for_0/.exec(ptx)?.[0] ?? "";
  expect(count(loop, /cp\.async\.cg/)).toBe(4);
  expect(count(loop, / bra /)).toBe(2);
});

describe("the loop of a large product", rotating, () => {
  const size = [4096, 4096, 4096] as const;
  const plan: TensorCorePipelineOptions = { ...small, tile: [128, 128, 32], depth: 4, promoteC: "registers", swizzle: 8 };
  let loop = "";
  beforeAll(() => {
    const ptx = ptxOf(tensorCorePipeline(ofBf16(size), plan).schedule.program);
    loop = /\$for_0:[\s\S]*bra \$for_0/.exec(ptx)?.[0] ?? "";
  });
  it("has 64 products, 16 loads of four matrices each and 8 copies, and one barrier", () => {
    expect(count(loop, /mma\.sync\.aligned\.m16n8k16/)).toBe(64);
    expect(count(loop, /ldmatrix\.sync\.aligned\.m8n8\.x4/)).toBe(16);
    expect(count(loop, /ldmatrix/)).toBe(16);
    expect(count(loop, /cp\.async\.cg\.shared\.global/)).toBe(8);
    expect(count(loop, /bar\.sync/)).toBe(1);
    expect(count(loop, /cp\.async\.wait_group 2/)).toBe(1);
    expect(count(loop, /cp\.async\.wait_group/)).toBe(1);
    expect(count(loop, /bra/)).toBe(1);
  });
  it("loads the next group before the products of this one", () => {
    const order = [...loop.matchAll(/ldmatrix|mma\.sync|bar\.sync|wait_group|cp\.async\.cg/g)].map(([x]) => x);
    const turns = order.filter((x, i) => x !== order[i - 1]);
    expect(turns).toEqual(["cp.async.cg", "ldmatrix", "mma.sync", "wait_group", "bar.sync", "ldmatrix", "mma.sync"]);
  });
  it("computes few addresses", () => {
    expect(count(loop, /\n {2}(add|sub|mul|shl|shr|and|or|xor|rem|div)\.[\w.]+ /)).toBeLessThan(80);
    expect(loop).not.toMatch(/\b(rem|div)\./);
  });
});

describe("each pass gives a program that verifies, and prints as what makes it", rotating, () =>
  eachPassPrints("C += A @ B", () => tensorCorePipeline(adding([512, 512, 128]), small), true),
);

describe.skipIf(noPtxas !== undefined)("ptxas keeps everything in registers", () => {
  const large: TensorCorePipelineOptions = { ...small, tile: [128, 128, 32] };
  const size = [4096, 4096, 4096] as const;
  it.each<readonly [string, Program, TensorCorePipelineOptions]>([
    ["IREE's case", adding([512, 512, 128]), small],
    ["128 x 128 x 32, three stages", transposed(size), { ...large, promoteC: "registers", swizzle: 8 }],
    ["128 x 128 x 32, four stages", transposed(size), { ...large, depth: 4, promoteC: "registers", swizzle: 8 }],
    ["sums through shared memory", transposed(size), large],
    ["128 x 256 x 32", transposed(size), { ...large, tile: [128, 256, 32], workgroup: [128, 2, 1], promoteC: "registers" }],
    ["256 x 128 x 32", transposed(size), { ...large, tile: [256, 128, 32], workgroup: [64, 4, 1], promoteC: "registers" }],
    ["128 x 128 x 64", transposed(size), { ...large, tile: [128, 128, 64], promoteC: "registers" }],
    ["tf32", ofTf32(size), { ...large, tile: [128, 128, 16], promoteC: "registers" }],
    ["i8", ofI8(size), { ...large, tile: [128, 128, 64], promoteC: "registers" }],
    ["relu(A @ B + E)", fused(size, "matrix and relu"), large],
  ])("%s", (_, program, options) => {
    const ptx = ptxOf(tensorCorePipeline(program, options).schedule.program);
    expect(ptx).not.toContain(".local");
    expect(assemble(ptx)).toMatchObject({ ok: true, spills: 0, warnings: [] });
  });
});

/** Those of mma.sync have the tiles and depths of the kernels above. */
describe.skipIf(noPtxas !== undefined)("plans of wmma worth timing keep everything in registers", () => {
  const name = ({ tile, depth, doubleBuffer, epilogue }: TensorCorePipelineOptions): string =>
    [tile.join("x"), `depth ${depth}`, doubleBuffer, epilogue].join(" ");
  const all = paths.wmma.filter(({ sum = "f32" }) => sum === "f32").map(({ options }) => options as TensorCorePipelineOptions);
  it.each(some(all, 2).map((p) => [name(p), p] as const))("%s", (_, options) => {
    const ptx = ptxOf(tensorCorePipeline(ofBf16([4096, 4096, 4096]), options).schedule.program);
    expect(assemble(ptx)).toMatchObject({ ok: true, spills: 0, warnings: [] });
  });
});

it("the operands of a product lie in neighbouring registers", () => {
  const options: TensorCorePipelineOptions = { ...small, promoteC: "registers" };
  const ptx = ptxOf(tensorCorePipeline(ofBf16([64, 64, 4096]), options).schedule.program);
  const pairs = [...ptx.matchAll(/mma\.sync[^;]*\}, \{[^}]*\}, \{%r(\d+), %r(\d+)\}/g)];
  expect(pairs.length).toBeGreaterThan(8);
  for (const [, first, second] of pairs) expect(Number(second)).toBe(Number(first) + 1);
});

it("lowering does all that the pipeline asks for", rotating, () => {
  const { program } = tensorCorePipeline(adding([512, 512, 128]), small).schedule;
  expect(lowerProgram(program, specsOf(program)).remarks).toEqual([]);
});
