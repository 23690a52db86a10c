import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type TensorCorePipelineOptions, tensorCorePipeline } from "warpsmith/schedule";
import type { Program } from "../../../../src/schedule/ir/types.ts";
import { programKernel } from "../../../../src/schedule/lower/index.ts";
import { lowerProgram } from "../../../../src/schedule/lower/lower-program.ts";
import { specsOf } from "../../../../src/schedule/lower/tensors/specs.ts";
import { rotating } from "../../../support/amount.ts";
import { assemble, noPtxas } from "../../../support/ptxas.ts";
import { agree } from "../agree.ts";
import { eachPassComputesTheSame, eachPassPrints } from "./each-pass.ts";
import { products } from "./products.ts";

const { adding, transposed, ofBf16, ofTf32, ofI8, batched, fused } = products;
const small: TensorCorePipelineOptions = { tile: [32, 32, 16], workgroup: [64, 2, 1], depth: 3, storeStage: 1 };
const ptxOf = (program: Program): string => programKernel(program).compile(...specsOf(program)).ptx;
const count = (text: string, what: RegExp): number => text.match(new RegExp(what, "g"))?.length ?? 0;

it("IREE's case prints as it did, pass by pass", () => {
  const path = join(import.meta.dirname, "512x512x128.txt");
  const text = tensorCorePipeline(adding([512, 512, 128]), small).printAfterAll();
  if (process.env.UPDATE) writeFileSync(path, text);
  expect(existsSync(path), "UPDATE=1 writes it").toBe(true);
  expect(text).toBe(readFileSync(path, "utf8"));
});

describe("each pass computes the same", () => {
  const cases: readonly (readonly [string, Program, TensorCorePipelineOptions])[] = [
    ["C += A @ B, f16", adding([64, 32, 64]), small],
    ["C = A @ Bᵀ, f16 → f32", transposed([32, 32, 48]), { ...small, depth: 2, promoteC: "registers", epilogue: "peeled" }],
    ["rows of tiles in turn, one tile of K", transposed([64, 96, 32]), { ...small, tile: [32, 32, 32], swizzle: 2 }],
  ];
  for (const [name, program, options] of cases) eachPassComputesTheSame(name, () => tensorCorePipeline(program, options));
});

describe("products that it takes", () => {
  const two: TensorCorePipelineOptions = { ...small, depth: 2 };
  type Case = readonly [string, Program, TensorCorePipelineOptions];
  const once: readonly Case[] = [
    ["one warp, straight from global memory", adding([32, 16, 32]), { ...two, tile: [16, 16, 16], workgroup: [32, 1, 1] }],
    ["fewer tiles of K than stages", adding([32, 32, 32]), { ...small, depth: 4 }],
  ];
  const more: readonly Case[] = [
    ["tf32 → f32, A @ Bᵀ", ofTf32([32, 32, 32]), two],
    ["i8 → i32, adding", ofI8([32, 32, 64]), two],
    ["a peeled epilogue", adding([32, 32, 96]), { ...small, epilogue: "peeled" }],
    ["a batch with its tile", batched(2, [32, 32, 32]), { ...two, tile: [1, 32, 32, 16] }],
    ["shapes that are padded", transposed([24, 40, 20]), { ...two, pad: true }],
    ["f16 → f32, A @ Bᵀ", transposed([64, 64, 64]), small],
    ["bf16 → f32, A @ B", ofBf16([64, 32, 32]), two],
    ["a batch, Aᵀ @ B", batched(2, [32, 32, 32]), two],
    ["several instructions in a warp", adding([64, 64, 64]), { ...two, tile: [64, 64, 32], workgroup: [64, 1, 1] }],
    ["one tile of K", transposed([32, 32, 16]), small],
    ["one tile of all", transposed([32, 32, 16]), { ...small, promoteC: "registers" }],
    ["no overlap", adding([32, 32, 64]), { ...small, depth: 1 }],
    ["sums in registers alone", adding([64, 64, 32]), { ...small, promoteC: "registers" }],
    ["rows of tiles in turn", transposed([96, 64, 32]), { ...two, swizzle: 2 }],
    ["rows of tiles in turn, the last one alone", adding([96, 64, 32]), { ...small, tile: [32, 32, 32], swizzle: 2 }],
    ["rows of tiles in turn, no overlap", adding([64, 96, 64]), { ...small, tile: [32, 32, 32], depth: 1, swizzle: 2 }],
    ["rows of its own padding", transposed([32, 32, 32]), { ...two, padding: 16 }],
    ["rows without padding", transposed([32, 32, 32]), { ...two, padding: 0 }],
    ["rows alone that are padded", transposed([40, 32, 48]), { ...small, pad: true }],
  ];
  const run = (_: string, program: Program, options: TensorCorePipelineOptions) =>
    agree(tensorCorePipeline(program, options).schedule.program);
  it.each(once.slice(0, 1))("%s", run);
  it.each([...once.slice(1), ...more])("%s", rotating, run);
});

describe("what is computed besides the product", () => {
  const fusions = ["relu", "constant", "matrix", "matrix and relu", "relu on an input"];
  it.each(fusions)("%s", rotating, async (fusion) => {
    const { schedule } = tensorCorePipeline(fused([64, 32, 48], fusion), small);
    const names = schedule.getBlocks().map((b) => b.name);
    expect(names.includes("after") || names.includes("relu_of_A"), names.join()).toBe(false);
    await agree(schedule.program);
  });
  it("with padding", rotating, () =>
    agree(tensorCorePipeline(fused([40, 24, 48], "matrix and relu"), { ...small, pad: true }).schedule.program),
  );
  it("by one warp", rotating, () => {
    const options = { ...small, tile: [16, 16, 16], workgroup: [32, 1, 1], depth: 2 };
    return agree(tensorCorePipeline(fused([32, 16, 32], "relu on an input"), options).schedule.program);
  });
});

describe("the PTX of IREE's case", () => {
  const ptx = ptxOf(tensorCorePipeline(adding([512, 512, 128]), small).schedule.program);
  it("copies 16 bytes at a time, asynchronously", () => {
    expect(count(ptx, /cp\.async\.cg\.shared\.global \[[^\]]*\], \[[^\]]*\], 16;/)).toBe(6);
    expect(count(ptx, /cp\.async\.c[ag]/)).toBe(6);
    expect(count(ptx, /(ld|st)\.(global|shared)\.v4\.b32/)).toBe(4);
    expect(count(ptx, /(ld|st)\.(global|shared)(?!\.v4)/)).toBe(0);
  });
  it("has one product for each trip, and one barrier", () => {
    expect(count(ptx, /wmma\.mma/)).toBe(1);
    expect(count(ptx, /wmma\.load\.[ab]/)).toBe(2);
    expect(count(ptx, /wmma\.load\.c/)).toBe(1);
    expect(count(ptx, /wmma\.store/)).toBe(1);
    expect(count(ptx, /cp\.async\.wait_group 1/)).toBe(1);
    expect(count(ptx, /bar\.sync/)).toBe(5);
    expect(ptx).not.toContain(".local");
  });
});

describe("each pass gives a program that verifies, and prints as what makes it", () =>
  eachPassPrints("C += A @ B", () => tensorCorePipeline(adding([512, 512, 128]), small)));

describe.skipIf(noPtxas !== undefined)("ptxas keeps everything in registers", () => {
  const large: TensorCorePipelineOptions = { ...small, tile: [128, 128, 32] };
  const size = [4096, 4096, 4096] as const;
  it.each<readonly [string, Program, TensorCorePipelineOptions]>([
    ["IREE's case", adding([512, 512, 128]), small],
    ["sums in registers alone", transposed(size), { ...large, depth: 4, promoteC: "registers", swizzle: 8 }],
    ["sums through shared memory", transposed(size), large],
    ["a wide tile of f16", adding(size), { ...large, tile: [128, 256, 32], workgroup: [128, 2, 1], promoteC: "registers" }],
    ["tf32", ofTf32(size), { ...large, tile: [128, 128, 16], promoteC: "registers" }],
    ["i8", ofI8(size), { ...large, tile: [128, 128, 64], promoteC: "registers" }],
    ["relu(A @ B + E)", fused(size, "matrix and relu"), large],
    ["relu(A) @ B", fused(size, "relu on an input"), large],
  ])("%s", (_, program, options) => {
    const ptx = ptxOf(tensorCorePipeline(program, options).schedule.program);
    expect(ptx).not.toContain(".local");
    expect(assemble(ptx)).toMatchObject({ ok: true, spills: 0, warnings: [] });
  });
});

it("lowering does all that the pipeline asks for", rotating, () => {
  const { program } = tensorCorePipeline(adding([512, 512, 128]), small).schedule;
  expect(lowerProgram(program, specsOf(program)).remarks).toEqual([]);
});

it("steps are those of a schedule: they are there to read", () => {
  const { schedule, passes, printAfterAll } = tensorCorePipeline(adding([64, 64, 64]), small);
  expect(schedule.stages().length).toBeGreaterThan(30);
  expect(passes.at(-1)?.program).toBe(schedule.program);
  expect(passes.map((p) => p.name)).toContain("software-pipeline");
  expect(printAfterAll()).toContain("// ---- after to-matrix-ops ----");
});
