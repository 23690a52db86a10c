import { describe, expect, it } from "vitest";
import { tensorCorePipeline } from "warpsmith/schedule";
import { printProgram } from "../../../src/schedule/ir/print.ts";
import type { Program } from "../../../src/schedule/ir/types.ts";
import { loopsOf } from "../../../src/schedule/ir/walk.ts";
import { loweringStages } from "../../../src/schedule/lower/index.ts";
import { warpSpecialize } from "../../../src/schedule/primitives/warp-specialize.ts";
import { programOf } from "../../schedule/program-of.ts";
import { rotating, some } from "../../support/amount.ts";
import { agree } from "./agree.ts";
import { type WarpgroupProduct, warpgroupProduct } from "./pipeline/warpgroup-products.ts";
import { line, waits, withoutPieces } from "./without-pieces.ts";

/** What stands where, in a product of two warpgroups that copy by TMA. */
interface Parts {
  readonly before?: string;
  readonly loop?: string;
  readonly a?: string;
  readonly more?: string;
  readonly after?: string;
}

const product = '"wgmma_sync_f16_f32_64x64x64_nt"';
const load = '"tma_load_f16_64x64_128B"';

function programWith({ before = "", loop = "grid(4)", a = "0", more = "", after = "" }: Parts): Program {
  return programOf(`import { f16 } from "warpsmith";
import { alloc, bind, type Buffer, grid, intrinsic, program, unrolled } from "warpsmith/schedule";
export const p = program({ A: [64, 256], B: [64, 256], C: [128, 64] }, function p(A: Buffer<"f16", 2>, B: Buffer<"f16", 2>, C: Buffer<"f32", 2>) {
  const a = alloc("f16", [64, 64], "shared", { swizzle: "128B" });
  const b = alloc("f16", [64, 64], "shared", { swizzle: "128B" });
  const c = alloc("f32", [64, 64], "wgmma.accumulator");
  for (const wg of bind("threadIdx.y", 2)) {
    ${before}
    intrinsic("wgmma_fill_f32_64x64", c.region([0, 64], [0, 64]));
    for (const k of ${loop}) {
      intrinsic(${load}, A.region([${a}, 64], [k * 64, 64]), a.region([0, 64], [0, 64]));
      intrinsic(${load}, B.region([0, 64], [k * 64, 64]), b.region([0, 64], [0, 64]));
      intrinsic(${product}, a.region([0, 64], [0, 64]), b.region([0, 64], [0, 64]), c.region([0, 64], [0, 64]));
      ${more}
    }
    ${after}
    intrinsic("wgmma_store_f32_64x64", c.region([0, 64], [0, 64]), C.region([wg * 64, 64], [0, 64]));
  }
});`);
}

/** The program with its loop over K specialized. */
function specialized(program: Program, options: { readonly stages: number; readonly wait?: 0 | 1 } = { stages: 2 }): Program {
  const k = loopsOf(program).find((l) => l.variable.name === "k");
  if (!k) throw new Error("there is no loop over K");
  return warpSpecialize(program, k.variable, options, { name: "warpSpecialize(…)", at: [] });
}

/** Threads read what TMA copies, in each iteration anew. */
const summed = programOf(`import { f32 } from "warpsmith";
import { alloc, bind, block, type Buffer, grid, intrinsic, program, reduce, spatial } from "warpsmith/schedule";
export const p = program({ A: [64, 128], S: [128] }, function p(A: Buffer<"f16", 2>, S: Buffer<"f32", 1>) {
  const a = alloc("f16", [64, 64], "shared");
  for (const k of grid(2)) {
    intrinsic("tma_load_f16_64x64_none", A.region([0, 64], [k * 64, 64]), a.region([0, 64], [0, 64]));
    for (const t of bind("threadIdx.x", 128))
      for (const i of grid(32))
        block("add", { vt: spatial(t), vi: reduce(i) }, ({ vt, vi }) => {
          S[vt] += f32(a[vt % 64][vi]);
        });
  }
});`);

describe("a specialized loop computes the same", () => {
  const loops: readonly (readonly [string, Parts, { readonly stages: number; readonly wait?: 0 | 1 }])[] = [
    ["with more stages than trips", { loop: "grid(2)" }, { stages: 5 }],
    ["with a stage for each trip", {}, { stages: 4 }],
    ["with one stage", {}, { stages: 1, wait: 0 }],
    ["that waits for its products", {}, { stages: 3, wait: 0 }],
  ];
  it.each(some(loops, 1))("%s", (_, parts, options) => agree(specialized(programWith(parts), options)));

  it("with threads that read what was copied", () => agree(specialized(summed, { stages: 2, wait: 0 })));
});

it("a loop whose threads read what TMA has copied copies again behind them", () => agree(summed));

describe("what both roles run", () => {
  const lowered = loweringStages(specialized(programWith({}), { stages: 3 })).at(-1)?.program;
  const text = lowered ? printProgram(lowered, { form: "function" }) : "";
  const [producer = "", consumers = ""] = text.split('block("consumers"');
  it("one copies, whatever the thread", () => {
    expect(producer).toContain('effect("acquireStage", stage, 16384)');
    expect(producer.match(/tma_load/g)).toHaveLength(2);
    expect(producer).not.toContain("wgmma_");
    expect(producer).not.toContain("threadIdx");
  });
  it("the others compute, and do not copy", () => {
    expect(consumers).not.toContain("tma_load");
    expect(consumers).toContain("a.region([stage, 1], [0, 64], [0, 64])");
    expect(consumers).toContain('effect("awaitProducts", 1)');
    expect(consumers).not.toContain("syncThreads");
  });
});

describe("what the consumers run where A comes from registers", () => {
  const text = (trips: number, wait: 0 | 1, left: string): string => {
    const options = { instruction: "wgmma", tile: [64, 64, 64], workgroup: [128, 1, 1], depth: 2, wait } as const;
    const product = tensorCorePipeline(warpgroupProduct({ shape: [64, 64, trips * 64], left }), options).schedule.program;
    const lowered = loweringStages(product).at(-1)?.program;
    return lowered ? (printProgram(lowered, { form: "function" }).split('block("consumers"')[1] ?? "") : "";
  };
  /** What each line does, without its arguments. */
  const steps = (all: string): readonly string[] =>
    all.split("\n").flatMap((row) => {
      const [, op, loop] =
        /(?:effect|intrinsic)\("([a-zA-Z]+(?:_load_a|_sync|_map|_fill)?)|grid\((\d+)|serial\((\d+)/.exec(row) ?? [];
      return op ? [op] : loop ? [`${loop} times`] : [];
    });
  const left = ["awaitStage", "wgmma_load_a", "fenceProxyAsync", "syncWarp", "register_map"];
  const next = ["beginStages", "nextStage", ...left, "awaitProducts", "releaseStageBefore"];

  it("waits in each iteration, where no product is left running", () => {
    const found = steps(text(4, 0, "Math.max(a, 0)"));
    expect(found.join(" ")).toContain([...left, "wgmma_sync", "awaitProducts", "releaseStage", "nextStage"].join(" "));
  });
  it.each(some([4, 1, 2, 3, 7], 1))("brings the next A while products run, over %i iterations", (trips) => {
    const found = steps(text(trips, 1, "Math.max(a, 0)")).filter((x) => !x.endsWith("times"));
    const iteration = ["currentStage", "wgmma_sync", ...next];
    const written = trips === 1 ? 0 : 1 + (trips > 3 ? 2 : 0) + ((trips - 2) % 2);
    const end = ["currentStage", "wgmma_sync", "awaitProducts", "releaseStage", "nextStage"];
    const all = [...left, ...Array.from({ length: written }, () => iteration).flat(), ...end];
    expect(found.join(" ")).toContain(all.join(" "));
  });
});

describe("what is no loop to specialize", () => {
  it.each<readonly [string, RegExp, Parts]>([
    ["copies that depend on the thread", /where a copy begins depends on the thread/, { a: "wg * 0 + wg" }],
    ["a buffer that is used behind the loop, too", /a is used outside of the loop, too/, { after: "a[0][0] = f16(1);" }],
    ["a buffer that threads write, too", /a is written by more than copies/, { more: "a[0][0] = f16(1);" }],
    [
      "a matrix that the kernel writes",
      /the kernel writes A, and copies of it would be made ahead/,
      { after: "A[0][0] = f16(1);" },
    ],
    ["a loop that is written out", /is not serial/, { loop: "unrolled(4)" }],
    ["work that would not wait for products", /leaves products running/, { more: "C[0][0] = 1;" }],
    [
      "copies before the loop",
      /a copy by TMA stands outside of the loop/,
      { before: `intrinsic(${load}, A.region([0, 64], [0, 64]), a.region([0, 64], [0, 64]));` },
    ],
  ])("%s", (_, why, parts) => {
    const text = programWith(parts);
    expect(() => specialized(text)).toThrow(expect.objectContaining({ code: "W5575", message: expect.stringMatching(why) }));
  });

  it.each([
    [{ stages: 0 }, /from 1 to 16, not 0/],
    [{ stages: 17 }, /from 1 to 16, not 17/],
    [{ stages: 1 }, /2 at least/],
    [{ stages: 2, wait: 2 as 1 }, /`wait` is 0 or 1, not 2/],
  ] as const)("%o", (options, why) => expect(() => specialized(programWith({}), options)).toThrow(why));
});

/** A product of warpgroups, in pieces. */
const ofProduct = (left: Partial<WarpgroupProduct>) =>
  withoutPieces(
    tensorCorePipeline(warpgroupProduct({ shape: [256, 64, 320], ...left }), {
      instruction: "wgmma",
      tile: [128, 64, 64],
      workgroup: [128, 2, 1],
      depth: 2,
      blocks: 1,
    }).schedule.program,
  );

/**
 * Each piece of what the roles say to each other, taken out of the PTX, and what a device without a GPU reports then.
 */
describe("is right with, and reported without", () => {
  const { whole, without } = ofProduct({});
  it("all of it", async () => expect(await whole()).toBe("nothing"));
  const pieces: readonly (readonly [string, string, number, RegExp])[] = [
    ["the wait until a stage is empty", waits, 0, /W92(04|07|08|15)/],
    ["the wait until a stage is full", waits, 1, /W92(04|08)/],
    ["the arrival that expects bytes", line("arrive\\.expect_tx"), 0, /W9001|W9215/],
    ["the stage handed back in the loop", line("mbarrier\\.arrive\\.shared"), 0, /W9001/],
    ["the stage handed back behind the loop", line("mbarrier\\.arrive\\.shared"), 1, /W9001/],
    ["the wait for the products before", line("wgmma\\.wait_group\\S* 1"), 0, /W9207/],
    ["the wait for the last products", line("wgmma\\.wait_group\\S* 0"), 0, /W92(07|10)/],
    ["the fence before products", line("wgmma\\.fence"), 0, /W9211/],
    ["the fence of the barriers", line("fence\\.mbarrier_init"), 0, /W9212/],
    ["the wait for the barriers", line("bar\\.sync 15"), 0, /W9102|W9212|W9001/],
  ];
  it.each(some(pieces, 2))("%s", async (_, pattern, n, code) => expect(await without(pattern, n)).toMatch(code));
});

describe("with A in registers it is right with, and reported without", () => {
  const { whole, without, count } = ofProduct({ left: "Math.max(a, 0)" });
  it("all of it", rotating, async () => expect(await whole()).toBe("nothing"));
  it("five iterations: the first, two in one, one, and the last", () => expect(count("wgmma\\.commit_group")).toBe(5));
  const pieces: readonly (readonly [string, string, number, RegExp])[] = [
    ["the wait until a stage is empty", waits, 0, /W92(04|07|08|15)/],
    ["the wait until the first stage is full", waits, 1, /W92(04|08)/],
    ["the wait until the second stage is full", waits, 2, /W92(04|08)/],
    ["the wait until a stage is full in the loop", waits, 3, /W92(04|08)/],
    ["the other wait in the loop", waits, 4, /W92(04|08)/],
    ["the first stage handed back", line("mbarrier\\.arrive\\.shared"), 0, /W9001/],
    ["a stage handed back in the loop", line("mbarrier\\.arrive\\.shared"), 1, /W9001/],
    ["the last stage handed back", line("mbarrier\\.arrive\\.shared"), 4, /W9001/],
    ["the wait for the first products", line("wgmma\\.wait_group"), 0, /W92(07|10)/],
    ["the wait for products in the loop", line("wgmma\\.wait_group"), 1, /W92(07|10)/],
    ["the other wait for products in the loop", line("wgmma\\.wait_group"), 2, /W92(07|10)/],
    ["the wait for the last products", line("wgmma\\.wait_group"), 4, /W92(07|10)/],
    ["the fence before products", line("wgmma\\.fence"), 1, /W9211/],
  ];
  it.each(some(pieces, 0))("%s", async (_, pattern, n, code) => expect(await without(pattern, n)).toMatch(code));
  it("the fences behind what threads have read, each of which stands for those before", rotating, async () =>
    expect(await without(line("fence\\.proxy\\.async"), 0, 1, 2, 3, 4)).toBe("W9203"),
  );
  it("where warps meet before a lane of theirs hands a stage back", rotating, async () =>
    expect(await without(line("bar\\.warp\\.sync"), 0, 1, 2, 3, 4)).toMatch(/W92(03|04)/),
  );
});
