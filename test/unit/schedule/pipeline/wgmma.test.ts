import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TMA, tensorSpec } from "warpsmith";
import { tensorCorePipeline, type WgmmaPipelineOptions } from "warpsmith/schedule";
import { makeGemm } from "../../../../src/kernels/matmul/kernel/gemm.ts";
import { boxesOf, type Plan, swizzleOf } from "../../../../src/kernels/matmul/plan/plan.ts";
import { printProgram } from "../../../../src/schedule/ir/print.ts";
import type { Program } from "../../../../src/schedule/ir/types.ts";
import { loweringStages, programKernel } from "../../../../src/schedule/lower/index.ts";
import { specsOf } from "../../../../src/schedule/lower/tensors/specs.ts";
import { Schedule } from "../../../../src/schedule/schedule.ts";
import { rotating, some } from "../../../support/amount.ts";
import { assemble, noPtxas } from "../../../support/ptxas.ts";
import { agree } from "../agree.ts";
import { eachPassComputesTheSame, eachPassPrints } from "./each-pass.ts";
import { type WarpgroupProduct, warpgroupProduct } from "./warpgroup-products.ts";

const small: WgmmaPipelineOptions = { instruction: "wgmma", tile: [128, 64, 64], workgroup: [128, 2, 1], depth: 3 };
const scheduled = (product: WarpgroupProduct, options: Partial<WgmmaPipelineOptions> = {}) =>
  tensorCorePipeline(warpgroupProduct(product), { ...small, ...options });
const relu = "Math.max(a, 0)";
const ptxOf = (program: Program): string => programKernel(program).compile(...specsOf(program)).ptx;

it("a product prints as it did, pass by pass and lowered", () => {
  const path = join(import.meta.dirname, "wgmma.txt");
  const options = { tile: [128, 256, 64], blocks: 132, swizzle: 8, depth: 4 } as const;
  const { printAfterAll, schedule } = scheduled({ shape: [4096, 4096, 4096] }, options);
  const lowered = loweringStages(schedule.program).at(-1);
  const text = `${printAfterAll()}\n// ---- lowered ----\n${lowered ? printProgram(lowered.program, { form: "function" }) : ""}`;
  if (process.env.UPDATE) writeFileSync(path, text);
  expect(existsSync(path), "UPDATE=1 writes it").toBe(true);
  expect(text).toBe(readFileSync(path, "utf8"));
});

describe("each pass computes the same", () => {
  eachPassComputesTheSame("A @ B", () => scheduled({ shape: [256, 128, 128] }, { blocks: 3, swizzle: 2 }));
  eachPassComputesTheSame("relu(relu(A) @ B), f16", () =>
    scheduled({ shape: [256, 64, 128], left: relu, result: "f16" }, { blocks: 1, swizzle: 2 }),
  );
});

describe("products that it takes", () => {
  type Case = readonly [string, WarpgroupProduct, Partial<WgmmaPipelineOptions>];
  const once: readonly Case[] = [
    [
      "Aᵀ @ Bᵀ, bf16, three warpgroups",
      { shape: [192, 24, 128], order: "tt", dtype: "bf16" },
      { tile: [192, 24, 64], workgroup: [128, 3, 1], depth: 2, stores: "thread" },
    ],
    ["A, computed in f32 and stored in bf16", { shape: [128, 64, 192], dtype: "bf16", left: "bf16(f32(a) * f32(a) - 2)" }, {}],
  ];
  const more: readonly Case[] = [
    ["f32, three panels", { shape: [128, 128, 64] }, { tile: [128, 128, 64], blocks: 1, panels: 3 }],
    [
      "relu(A) @ B, one stage, one warpgroup",
      { shape: [64, 64, 128], left: relu },
      { tile: [64, 64, 64], workgroup: [128, 1, 1], wait: 0, depth: 1 },
    ],
    ["relu(A @ B), f16", { shape: [256, 64, 128], result: "f16" }, { blocks: 1, stores: "warp" }],
    ["one warpgroup", { shape: [64, 64, 192] }, { tile: [64, 64, 64], workgroup: [128, 1, 1] }],
    ["three warpgroups", { shape: [192, 64, 128] }, { tile: [192, 64, 64], workgroup: [128, 3, 1], depth: 2 }],
    ["128 rows of a warpgroup", { shape: [256, 64, 128] }, { tile: [256, 64, 64] }],
    ["tiles that no block is left for", { shape: [640, 64, 128] }, { blocks: 3, swizzle: 2 }],
    ["more blocks than tiles", { shape: [128, 128, 64] }, { blocks: 7 }],
    ["no product left running", { shape: [128, 64, 256] }, { wait: 0, depth: 2 }],
    ["one stage", { shape: [128, 64, 192] }, { wait: 0, depth: 1 }],
    ["one trip", { shape: [256, 64, 64] }, { blocks: 1 }],
    ["Aᵀ @ B", { shape: [128, 64, 128], order: "tn" }, {}],
    ["A @ Bᵀ", { shape: [128, 72, 128], order: "nt" }, { tile: [128, 72, 64] }],
    ["Aᵀ @ Bᵀ, bf16", { shape: [128, 24, 128], order: "tt", dtype: "bf16" }, { tile: [128, 24, 64], stores: "thread" }],
    [
      "f32, four panels of a warp, fewer than it has",
      { shape: [256, 96, 64] },
      { tile: [128, 96, 64], blocks: 1, stores: "warp", panels: 4 },
    ],
    ["relu(A) @ B", { shape: [256, 64, 256], left: relu }, { blocks: 1 }],
    ["relu(A) @ B, no product left running", { shape: [128, 64, 256], left: relu }, { wait: 0, depth: 2 }],
    [
      "relu(A) @ Bᵀ, 128 rows of a warpgroup",
      { shape: [256, 72, 192], order: "nt", left: relu },
      { tile: [256, 72, 64], depth: 2 },
    ],
    ["relu(relu(A) @ B), f16", { shape: [640, 64, 128], result: "f16", left: relu }, { blocks: 2, swizzle: 2 }],
    ["A as it is, copied before", { shape: [128, 64, 256], left: "a" }, {}],
    ["A times 1", { shape: [128, 64, 256], left: "a * 1" }, {}],
    ["some of A", { shape: [128, 64, 256], left: "a > 0 ? a : f16(-1)" }, {}],
  ];
  const run = (_: string, product: WarpgroupProduct, options: Partial<WgmmaPipelineOptions>) =>
    agree(scheduled(product, options).schedule.program);
  it.each(once.slice(0, 1))("%s", run);
  it.each(once.slice(1))("%s", rotating, run);
  it.each(more)("%s", rotating, run);
});

describe("each pass gives a program that verifies, and prints as what makes it", () => {
  const made = (more: Partial<WarpgroupProduct>) => scheduled({ shape: [640, 128, 128], ...more }, { blocks: 3, swizzle: 2 });
  eachPassPrints("A @ B", () => made({}));
  eachPassPrints("relu(A) @ B", () => made({ left: relu }), true);
});

it.each(some([{ left: relu }, {}], 0))("its steps are replayed from JSON, %o", (made) => {
  const { schedule } = scheduled({ shape: [640, 128, 128], ...made }, { blocks: 3, swizzle: 2 });
  const trace = JSON.parse(JSON.stringify(schedule.trace()));
  expect(Schedule.replay(schedule.original, trace).print()).toBe(schedule.print());
});

const tiles = [
  { tile: [128, 256], consumers: 2, stages: 4 },
  { tile: [256, 128], consumers: 2, stages: 4, stores: "thread" },
  { tile: [128, 128], consumers: 2, stages: 4 },
  { tile: [64, 128], consumers: 1, stages: 6 },
  { tile: [128, 192], consumers: 2, stages: 4, size: 3072 },
] as const;
const optionsOf = ({ tile: [m, n], consumers, stages, ...rest }: (typeof tiles)[number]): Partial<WgmmaPipelineOptions> => ({
  tile: [m, n, 64],
  workgroup: [128, consumers, 1],
  depth: stages,
  blocks: 132,
  swizzle: 8,
  ...("stores" in rest ? { stores: rest.stores } : {}),
});

/** The instructions of the innermost loop around a product, without what names registers, labels and places. */
function mainLoop(ptx: string): readonly string[] {
  const lines = ptx.split("\n").map((line) => line.trim());
  const around = (product: number): readonly string[] => {
    for (let from = product; from > 0; from--) {
      const label = /^(\$\w+):$/.exec(lines[from] ?? "")?.[1];
      const to = label === undefined ? -1 : lines.findIndex((line, i) => i > product && line.endsWith(`bra ${label};`));
      if (to >= 0) return lines.slice(from + 1, to + 1);
    }
    return [];
  };
  const products = lines.flatMap((line, i) => (line.startsWith("wgmma.mma_async") ? [i] : []));
  const [loop] = products
    .map(around)
    .filter((body) => body.length > 0)
    .toSorted((a, b) => a.length - b.length);
  if (!loop) throw new Error("there is no product in a loop");
  const body = loop.filter((line) => line !== "" && !/^(\.|\/\/|\$)/.test(line));
  return body.map((line) => line.replace(/^@!?%p\d+ /, "").split(" ")[0] ?? "");
}

/** The PTX of the kernel of warpsmith/kernels with the same plan. */
function byHand({ tile, consumers, stages, ...rest }: (typeof tiles)[number], wait: 0 | 1): string {
  const size = "size" in rest ? rest.size : 4096;
  const common = { schedule: "cooperative", cluster: [1, 1], group: 8, stores: "warpgroup", buffers: 2 } as const;
  const plan: Plan = { ...common, tile, consumers, stages, wait, splitTail: false, promotion: "128B", blocks: 132 };
  const problem = { m: size, n: size, k: size, dtype: "f16", aMajor: "k", bMajor: "mn" } as const;
  const boxes = boxesOf(plan, problem);
  const map = (box: readonly [number, number], swizzle: "128B" | "64B" | "32B") =>
    new TMA(tensorSpec("f16", [size, size]), { box, swizzle });
  const [a, b, d] = [map(boxes.a, "128B"), map(boxes.b, "128B"), map(boxes.d, swizzleOf(2 * boxes.d[1]))];
  return makeGemm(problem, plan).compile(a, { whole: b }, d, {}, {}, {}).ptx;
}

describe("the loop over K has the instructions of the kernel that was written by hand", () => {
  it.each(
    some(
      tiles.flatMap((t) => ([0, 1] as const).map((wait) => [t.tile.join("x"), wait, t] as const)),
      2,
    ),
  )("%s, wait %i", (_, wait, t) => {
    const size = "size" in t ? t.size : 4096;
    const ours = mainLoop(ptxOf(scheduled({ shape: [size, size, size] }, { ...optionsOf(t), wait }).schedule.program));
    expect(ours.toSorted()).toEqual(mainLoop(byHand(t, wait)).toSorted());
  });
});

describe.skipIf(noPtxas !== undefined)("ptxas keeps everything in registers, and products apart", () => {
  const all = [{}, { left: relu }, { left: relu, result: "f16" as const }];
  it.each(tiles.flatMap((t) => all.map((made) => [t.tile.join("x"), made, t] as const)))("%s, %o", (_, made, t) => {
    const size = "size" in t ? t.size : 4096;
    const ptx = ptxOf(scheduled({ shape: [size, size, size], ...made }, optionsOf(t)).schedule.program);
    expect(ptx).not.toContain(".local");
    expect(assemble(ptx)).toMatchObject({ ok: true, spills: 0, warnings: [] });
  });
});

describe("a loop whose A is computed in registers", () => {
  const loop = (wait: 0 | 1) => {
    const options = { ...optionsOf(tiles[0]), wait };
    return mainLoop(ptxOf(scheduled({ shape: [4096, 4096, 4096], left: relu }, options).schedule.program));
  };
  const count = (lines: readonly string[], start: string): number => lines.filter((line) => line.startsWith(start)).length;
  it("brings it there by ldmatrix, and computes pairs of halves", () => {
    const lines = loop(0);
    expect([count(lines, "wgmma.mma_async"), count(lines, "ldmatrix"), count(lines, "max.NaN.f16")]).toEqual([4, 4, 32]);
    expect([count(lines, "ld.shared"), count(lines, "st.shared")]).toEqual([0, 0]);
  });
  it("does two iterations in one, where the next A comes while products run", () => {
    const lines = loop(1);
    expect([count(lines, "wgmma.mma_async"), count(lines, "ldmatrix")]).toEqual([8, 8]);
    const order = lines
      .filter((line) => /^(wgmma.wait_group|wgmma.commit|ldmatrix|mbarrier.arrive)/.test(line))
      .map((l) => l.split(".")[0]);
    const half = ["wgmma", "ldmatrix", "ldmatrix", "ldmatrix", "ldmatrix", "wgmma", "mbarrier"];
    expect(order).toEqual([...half, ...half]);
  });
  it("fences what threads have read of a stage before they hand it back", () =>
    expect(count(loop(1), "fence.proxy.async")).toBe(2));
});

describe("what it refuses", () => {
  const shape = [128, 128, 128] as const;
  it.each<readonly [string, RegExp, WarpgroupProduct, Partial<WgmmaPipelineOptions>]>([
    ["half a warpgroup", /its workgroup is \[64, 2, 1\]/, { shape }, { workgroup: [64, 2, 1] }],
    ["K of 64 bytes", /32 summands of f16, and rows of shared memory have 128 bytes/, { shape }, { tile: [128, 64, 32] }],
    ["rows that do not fill warpgroups", /64 rows of the tile are not 64/, { shape }, { tile: [64, 64, 64] }],
    ["columns that are no eights", /100 columns of the tile are no multiple of 8/, { shape }, { tile: [128, 100, 64] }],
    ["too many sums", /a thread would keep 256 sums/, { shape: [256, 256, 64] }, { tile: [256, 256, 64] }],
    ["a ragged shape", /does not divide the product/, { shape: [192, 64, 64] }, {}],
    ["a function of B", /'make_B' makes B_made, the right operand/, { shape, right: "Math.max(b, 0)" }, {}],
    ["functions of both", /'make_B' makes B_made/, { shape, left: relu, right: "Math.max(b, 0)" }, {}],
    ["a function of A by columns", /A, the left operand, which then lies by rows/, { shape, order: "tn", left: relu }, {}],
    ["a function of A and of B", /reads A and B/, { shape, left: "a + B[vi][vk]" }, {}],
    ["another element of A", /reads A at another place/, { shape, left: "A[vk][vi]" }, {}],
    ["what depends on the row", /depends on where an element lies/, { shape, left: "a * f16(vi)" }, {}],
    ["nothing of A", /reads no matrix/, { shape, left: "f16(1)" }, {}],
    ["a wait of two", /"wait"|`wait`/, { shape }, { wait: 2 as 1 }],
  ])("%s", (_, why, product, options) => expect(() => scheduled(product, options)).toThrow(why));
});
