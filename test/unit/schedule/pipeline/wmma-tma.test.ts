import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type TensorCorePipelineOptions, tensorCorePipeline } from "warpsmith/schedule";
import { paths } from "../../../../bench/schedule-plans.ts";
import type { Program } from "../../../../src/schedule/ir/types.ts";
import { programKernel } from "../../../../src/schedule/lower/index.ts";
import { specsOf } from "../../../../src/schedule/lower/tensors/specs.ts";
import { rotating, some } from "../../../support/amount.ts";
import { assemble, noPtxas } from "../../../support/ptxas.ts";
import { agree } from "../agree.ts";
import { line, waits, withoutPieces } from "../without-pieces.ts";
import { eachPassComputesTheSame } from "./each-pass.ts";
import { products } from "./products.ts";

/** The products of the bench. */
const { programOf: benched } = (await import(
  /* @vite-ignore */ join(import.meta.dirname, "../../../../bench/schedule-programs.ts")
)) as { readonly programOf: (size: number, work: "product", result: "f32" | "f16", sum: "f32" | "f16") => Program };

const { adding, transposed, ofBf16, ofI8, batched, fused } = products;
const small: TensorCorePipelineOptions = {
  tile: [32, 32, 16],
  workgroup: [64, 2, 1],
  depth: 3,
  storeStage: 1,
  copies: "tma",
  promoteC: "registers",
};

describe("each pass computes the same", () => {
  const cases: readonly (readonly [string, Program, TensorCorePipelineOptions])[] = [
    ["C = A @ Bᵀ, f16 → f32", transposed([64, 32, 64]), small],
    ["padded, sums in registers", transposed([48, 80, 40]), { ...small, depth: 2, pad: true }],
  ];
  for (const [name, program, options] of cases) eachPassComputesTheSame(name, () => tensorCorePipeline(program, options));
});

describe("products that it takes", () => {
  type Case = readonly [string, Program, TensorCorePipelineOptions];
  const once: readonly Case[] = [
    ["C += A @ B through shared memory, one stage", adding([32, 32, 48]), { ...small, promoteC: "shared", depth: 1 }],
    ["relu(A @ B + E), padded", fused([40, 24, 48], "matrix and relu"), { ...small, pad: true }],
  ];
  const more: readonly Case[] = [
    ["a batch, Aᵀ @ B", batched(2, [32, 32, 32]), small],
    ["C += A @ B, f16 → f16", adding([64, 64, 64]), small],
    ["C += A @ B through shared memory", adding([64, 32, 48]), { ...small, promoteC: "shared" }],
    ["bf16 → f32", ofBf16([64, 32, 32]), { ...small, promoteC: "shared" }],
    ["i8 → i32", ofI8([32, 32, 64]), { ...small, tile: [32, 32, 32] }],
    ["two warpgroups that multiply", adding([128, 64, 64]), { ...small, tile: [64, 64, 32], workgroup: [64, 4, 1] }],
    ["one tile of K", transposed([32, 32, 16]), small],
    ["one stage", adding([32, 32, 64]), { ...small, depth: 1 }],
    ["rows of tiles in turn", transposed([96, 64, 32]), { ...small, swizzle: 2 }],
    ["rows without padding", transposed([32, 32, 32]), { ...small, padding: 0 }],
    ["shapes that are padded, through shared memory", transposed([24, 40, 24]), { ...small, promoteC: "shared", pad: true }],
  ];
  const run = (_: string, program: Program, options: TensorCorePipelineOptions) =>
    agree(tensorCorePipeline(program, options).schedule.program);
  it.each(once.slice(0, 1))("%s", run);
  it.each([...once.slice(1), ...more])("%s", rotating, run);
});

it("prints as it did, pass by pass", () => {
  const path = join(import.meta.dirname, "wmma-tma.txt");
  const text = tensorCorePipeline(transposed([480, 224, 96]), {
    ...small,
    tile: [128, 64, 32],
    workgroup: [64, 4, 1],
    pad: true,
  }).printAfterAll();
  if (process.env.UPDATE) writeFileSync(path, text);
  expect(existsSync(path), "UPDATE=1 writes it").toBe(true);
  expect(text).toBe(readFileSync(path, "utf8"));
});

/** The meeting of a warp before a lane of it hands a stage back is no case: products come behind it, which a warp runs together, too. */
describe("is right with, and reported without", () => {
  const { whole, without } = withoutPieces(
    tensorCorePipeline(adding([32, 32, 160]), { ...small, tile: [32, 32, 32], depth: 2 }).schedule.program,
  );
  it("all of it", async () => expect(await whole()).toBe("nothing"));
  const pieces: readonly (readonly [string, string, number, RegExp])[] = [
    ["the wait until a stage is empty", waits, 0, /W92(03|04|07|08|15)/],
    ["the wait until a stage is full", waits, 1, /W92(04|08)/],
    ["the arrival that expects bytes", line("arrive\\.expect_tx"), 0, /W9001|W9215/],
    ["the stage handed back", line("mbarrier\\.arrive\\.shared"), 0, /W9001/],
    ["the fence behind what threads have read", line("fence\\.proxy\\.async"), 0, /W9203/],
    ["the fence of the barriers", line("fence\\.mbarrier_init"), 0, /W9212/],
    ["the wait for the barriers", line("bar\\.sync 15"), 0, /W9102|W9212|W9001/],
  ];
  it.each(some(pieces, 1))("%s", async (_, pattern, n, code) => expect(await without(pattern, n)).toMatch(code));
});

describe("what TMA cannot copy is refused", () => {
  const size = [256, 256, 64] as const;
  it.each<readonly [string, Program, Partial<TensorCorePipelineOptions>, RegExp]>([
    ["mma.sync", adding(size), { instruction: "mma.sync", tile: [32, 32, 32] }, /reads rows that its loads permute/],
    ["operands a group ahead", adding(size), { doubleBuffer: true, tile: [32, 32, 32] }, /before this one is handed back/],
    ["a peeled epilogue", adding(size), { epilogue: "peeled" }, /none is peeled/],
    ["operands from global memory", adding(size), { promoteOperands: "global" }, /takes A and B from elsewhere/],
    ["what is computed before", fused(size, "relu on an input"), {}, /copies elements as they are/],
    ["too many warps", adding(size), { tile: [256, 128, 16], workgroup: [128, 8, 1] }, /with the 128 of the warpgroup/],
    ["too many stages", adding(size), { depth: 17 }, /17 tiles are more than 16/],
    ["rows wider than a box", adding(size), { tile: [32, 256, 16], workgroup: [128, 1, 1] }, /256 and the 8 elements after it/],
    ["a padding of half a unit", adding(size), { padding: 4 }, /4 elements after a row are 8 bytes/],
    ["rows of half an instruction", transposed([24, 32, 16]), { pad: true }, /C has 24 rows, and sums in registers/],
  ])("%s", (_, program, options, why) => {
    expect(() => tensorCorePipeline(program, { ...small, ...options })).toThrow(why);
  });
  it("a word that is neither", () =>
    expect(() => tensorCorePipeline(adding(size), { ...small, copies: "bulk" as "tma" })).toThrow(/"cp.async" or "tma"/));
});

describe.skipIf(noPtxas !== undefined)("ptxas keeps everything in registers", () => {
  const plans = paths.wmma.filter(({ options }) => "copies" in options);
  const ptxs = (result: "f32" | "f16"): string[] =>
    plans.flatMap(({ options, results }) => {
      const { program } = tensorCorePipeline(benched(1040, "product", result, result), options).schedule;
      return results?.includes(result) ? programKernel(program).compile(...specsOf(program)).ptx : [];
    });
  it.each(["f32", "f16"] as const)("plans to %s", (result) => {
    const all = ptxs(result);
    expect(all.length).toBeGreaterThan(3);
    for (const [n, ptx] of some(all, 2).entries())
      expect(assemble(ptx), plans[n]?.name).toMatchObject({ ok: true, spills: 0, warnings: [] });
  });
});
