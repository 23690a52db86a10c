import { describe, expect, it } from "vitest";
import { openDevice, WarpsmithError } from "warpsmith";
import { loadPtx } from "warpsmith/ptx";
import { tensorCorePipeline, type WgmmaPipelineOptions } from "warpsmith/schedule";
import { printProgram } from "../../../../src/schedule/ir/print.ts";
import type { Program } from "../../../../src/schedule/ir/types.ts";
import { loopsOf } from "../../../../src/schedule/ir/walk.ts";
import { loweringStages, programKernel } from "../../../../src/schedule/lower/index.ts";
import { specsOf } from "../../../../src/schedule/lower/tensors/specs.ts";
import { makeMap, mapsOf } from "../../../../src/schedule/lower/tensors/tensor-maps.ts";
import { warpSpecialize } from "../../../../src/schedule/primitives/warp-specialize.ts";
import { Schedule } from "../../../../src/schedule/schedule.ts";
import { createRandom } from "../../../fuzz/random.ts";
import { programOf } from "../../../schedule/program-of.ts";
import { rotating, seeds } from "../../../support/amount.ts";
import { agree } from "../agree.ts";
import { type WarpgroupProduct, warpgroupProduct } from "./warpgroup-products.ts";

const turns: WgmmaPipelineOptions = {
  ...{ instruction: "wgmma", tile: [64, 64, 64], workgroup: [128, 2, 1] },
  ...{ depth: 3, blocks: 1, pingpong: true },
};
const scheduled = (product: WarpgroupProduct, options: Partial<WgmmaPipelineOptions> = {}) =>
  tensorCorePipeline(warpgroupProduct(product), { ...turns, ...options });
const relu = "Math.max(a, 0)";

describe("warpgroups that take turns compute the same", () => {
  type Case = readonly [string, WarpgroupProduct, Partial<WgmmaPipelineOptions>];
  const once: readonly Case[] = [
    ["relu(A) @ B, no product left running", { shape: [192, 64, 192], left: relu }, { wait: 0, depth: 2 }],
  ];
  const more: readonly Case[] = [
    ["two tiles and one, each warp stores", { shape: [192, 64, 128], result: "f16" }, { stores: "warp", blocks: 2 }],
    ["two tiles", { shape: [128, 64, 128] }, {}],
    ["an odd number of tiles", { shape: [320, 64, 192] }, {}],
    ["blocks that have one tile more than others", { shape: [320, 64, 128] }, { blocks: 2 }],
    ["three warpgroups, and no tile for the last ones", { shape: [448, 64, 128] }, { blocks: 2, workgroup: [128, 3, 1] }],
    ["more stages than a tile has trips", { shape: [192, 64, 64] }, { depth: 5 }],
    ["two stages, no product left running", { shape: [320, 64, 320] }, { wait: 0, depth: 2 }],
    ["one stage", { shape: [192, 64, 128] }, { wait: 0, depth: 1 }],
    ["relu(A @ B), f16, blocks in groups of rows", { shape: [320, 128, 128], result: "f16" }, { blocks: 3, swizzle: 2 }],
    ["each warp stores", { shape: [320, 64, 128], result: "f16" }, { stores: "warp" }],
    ["each thread stores", { shape: [320, 64, 128] }, { stores: "thread" }],
    ["128 rows of a warpgroup, four panels", { shape: [384, 128, 64] }, { tile: [128, 128, 64], panels: 4 }],
    ["relu(A) @ B", { shape: [320, 64, 320], left: relu }, { depth: 2 }],
    ["tiles that do not divide the shape", { shape: [300, 72, 136] }, { pad: true }],
  ];
  const run = (_: string, product: WarpgroupProduct, options: Partial<WgmmaPipelineOptions>) =>
    agree(scheduled(product, options).schedule.program);
  it.each(once)("%s", rotating, run);
  it.each(more)("%s", rotating, run);

  // Each sixth has one of its own, so these do not rotate as the others do.
  it.each(seeds(7, 16, 0))("at random: seed %i", { timeout: 300_000 }, async (seed) => {
    const random = createRandom(seed);
    const [tiles, trips] = [random.between(2, 7), random.between(1, 6)];
    const left = random.pick([undefined, undefined, relu]);
    const product = {
      shape: [64 * tiles, 64, 64 * trips],
      ...(left ? { left } : {}),
      result: random.pick(["f32", "f16"] as const),
    } as const;
    const wait = random.pick([0, 1] as const);
    const options = {
      wait,
      depth: random.between(1 + wait, 5),
      blocks: random.between(1, tiles - 1),
      workgroup: [128, random.pick([2, 3]), 1],
    } as const;
    const { program } = scheduled(product, options).schedule;
    await agree(program).catch((error: Error) => {
      throw new Error(`${JSON.stringify({ product, options })}: ${error.message}`);
    });
  });
});

/** A loop over tiles as `persist` makes it, by hand. */
interface Parts {
  readonly tiles?: string;
  readonly begin?: string;
  readonly loop?: readonly [before: string, behind: string];
  readonly top?: string;
  readonly end?: string;
}
const zero = 'intrinsic("wgmma_fill_f32_64x64", c.region([0, 64], [0, 64]));';
function byHand({ tiles = "serial(3, { independent: true })", begin, loop = ["", ""], top = "", end = "" }: Parts): Program {
  return programOf(`import { f16 } from "warpsmith";
import { alloc, bind, type Buffer, effect, grid, intrinsic, program, serial } from "warpsmith/schedule";
export const p = program({ A: [192, 128], B: [64, 128], C: [192, 64] }, function p(A: Buffer<"f16", 2>, B: Buffer<"f16", 2>, C: Buffer<"f32", 2>) {
  const a = alloc("f16", [64, 64], "shared", { swizzle: "128B" });
  const b = alloc("f16", [64, 64], "shared", { swizzle: "128B" });
  const s = alloc("f32", [64], "shared");
  const c = alloc("f32", [64, 64], "wgmma.accumulator");
  ${top}
  for (const t of ${tiles}) {
    ${begin ?? zero}
    ${loop[0]}
    for (const k of grid(2)) {
      intrinsic("tma_load_f16_64x64_128B", A.region([t * 64, 64], [k * 64, 64]), a.region([0, 64], [0, 64]));
      intrinsic("tma_load_f16_64x64_128B", B.region([0, 64], [k * 64, 64]), b.region([0, 64], [0, 64]));
      intrinsic("wgmma_sync_f16_f32_64x64x64_nt", a.region([0, 64], [0, 64]), b.region([0, 64], [0, 64]), c.region([0, 64], [0, 64]));
    }
    ${loop[1]}
    intrinsic("wgmma_store_f32_64x64", c.region([0, 64], [0, 64]), C.region([t * 64, 64], [0, 64]));
  }
  ${end}
});`);
}
const specialized = (program: Program, pingpong: 1 | 2 | 3 = 2): Program => {
  const k = loopsOf(program).find((l) => l.variable.name === "k");
  if (!k) throw new Error("there is no loop over K");
  return warpSpecialize(program, k.variable, { stages: 2, pingpong }, { name: "warpSpecialize(…)", at: [] });
};

describe("programs by hand", () => {
  it("a tile for each iteration", rotating, () => agree(specialized(byHand({}))));
  it("products under a condition", rotating, () => agree(specialized(byHand({ loop: ["if (t !== 1) {", "}"] }))));
  it("products where a condition does not hold", rotating, () =>
    agree(specialized(byHand({ loop: [`if (t === 1) { ${zero} } else {`, "}"] }))),
  );
  it("the same, all warpgroups together", rotating, () =>
    agree(specialized(byHand({ loop: [`if (t === 1) { ${zero} } else {`, "}"] }), 1)),
  );

  it.each<readonly [string, RegExp, Parts]>([
    ["iterations that are not known to be tiles", /iterations of 't'.*are not a block's/, { tiles: "grid(3)" }],
    ["iterations of blocks", /iterations of 't'.*are not a block's/, { tiles: 'bind("blockIdx.x", 3)' }],
    ["a loop between", /iterations of 'r'.*are not a block's/, { loop: ["for (const r of grid(2)) {", "}"] }],
    ["sums that go on from tile to tile", /c lies in registers/, { begin: "" }],
    [
      "sums that are looked at behind all tiles",
      /c lies in registers/,
      { end: 'intrinsic("wgmma_store_f32_64x64", c.region([0, 64], [0, 64]), C.region([0, 64], [0, 64]));' },
    ],
    ["shared memory of their own", /they would all use s/, { loop: ["", "s[0] = 1; C[0][0] = s[0];"] }],
    ["an effect", /an effect stands in 't'/, { loop: ['effect("syncThreads");', ""] }],
  ])("refused: %s", (_, why, parts) =>
    expect(() => specialized(byHand(parts))).toThrow(
      expect.objectContaining({ code: "W5575", message: expect.stringMatching(why) }),
    ),
  );
  it("refused: three and a half warpgroups", () =>
    expect(() => specialized(byHand({}), 4 as 3)).toThrow(/`pingpong` is 1, 2 or 3, not 4/));
  it("refused when it is lowered: a program for the threads of two warpgroups", () => {
    const wide = byHand({ top: 'for (const w of bind("threadIdx.y", 2)) C[w][0] = 2;' });
    expect(() => programKernel(specialized(wide)).compile(...specsOf(wide))).toThrow(
      expect.objectContaining({ code: "W5576", message: expect.stringMatching(/each has an iteration for itself/) }),
    );
  });
});

it("its steps are printed, read and replayed", () => {
  const { schedule } = scheduled({ shape: [320, 64, 128] }, { blocks: 2 });
  const text = printProgram(schedule.program);
  expect(text).toContain("pingpong: 2");
  expect(printProgram(programOf(text))).toBe(text);
  const replayed = Schedule.replay(schedule.original, JSON.parse(JSON.stringify(schedule.trace())));
  expect(printProgram(replayed.program)).toBe(text);
});

describe("what each warpgroup runs", () => {
  const lowered = loweringStages(scheduled({ shape: [320, 64, 128] }, { blocks: 2 }).schedule.program).at(-1)?.program;
  const text = lowered ? printProgram(lowered, { form: "function" }) : "";
  const [producer = "", consumers = ""] = text.split('block("consumers"');
  it("the thread that copies goes through all tiles in order", () => {
    expect(producer).toContain("of serial(3, { independent: true })");
    expect(producer).not.toMatch(/Turn|skipStages/);
  });
  it("a turn is passed on as soon as its products have begun, and skips what is another one's", () => {
    const order = [...consumers.matchAll(/effect\("(\w+)"|(wgmma_sync|tma_store)/g)].map(([, op, name]) => op ?? name);
    const loop = ["awaitStage", "wgmma_sync", "awaitProducts", "releaseStageBefore", "nextStage"];
    const own = ["awaitTurn", "beginStages", ...loop, "passTurn", "awaitProducts", "releaseStageBefore", "tma_store"];
    const none = ["awaitTurn", "passTurn"];
    expect(order).toEqual(["skipStages", ...own, ...none, ...none, "skipStages"]);
  });
});

/** What running a product says without a piece of its PTX: of the lines that are like a pattern the one of that number. */
function pieces(options: Partial<WgmmaPipelineOptions>) {
  const { program } = scheduled({ shape: [256, 64, 192] }, options).schedule;
  const { ptx, resources } = programKernel(program).compile(...specsOf(program));
  const run = async (text: string): Promise<string> => {
    const device = await openDevice("emulator", { check: "strict" });
    const [a, b, c] = [device.zeros("f16", [256, 192]), device.zeros("f16", [192, 64]), device.zeros("f32", [256, 64])];
    try {
      const maps = mapsOf(program).map((use) => makeMap(program.name, use, [a, b, c]));
      loadPtx(text)
        .entry()
        .launch({ grid: 1, smem: resources.sharedBytes }, a, b, c, ...maps);
      await c.read();
      return "nothing";
    } catch (error) {
      return error instanceof WarpsmithError ? error.code : String(error);
    } finally {
      await Promise.resolve(device[Symbol.asyncDispose]()).catch(() => undefined);
    }
  };
  const all = (pattern: string): RegExpExecArray[] => [...ptx.matchAll(new RegExp(pattern, "gm"))];
  return {
    whole: () => run(ptx),
    without: (pattern: string, n: number) => {
      const found = all(pattern).at(n);
      if (!found) throw new Error(`there is no ${pattern}`);
      return run(`${ptx.slice(0, found.index)}${ptx.slice(found.index + found[0].length)}`);
    },
    list: (pattern: string): readonly string[] => all(pattern).map(([text]) => text.trim()),
  };
}

/** What a warpgroup does at a barrier of turns: those of others have a number. */
const turn = (does: string): string => `^.*bar\\.${does} %r\\d+, 256;\\n`;

describe("is right with, and reported without", () => {
  const { whole, without, list } = pieces({ depth: 2 });
  it("all of it", async () => expect(await whole()).toBe("nothing"));
  it("two waits, of which one is the first warpgroup's at its end, and as many that pass a turn on", () =>
    expect([list(turn("sync")).length, list(turn("arrive")).length]).toEqual([2, 2]));
  it.each<readonly [string, string, number, string]>([
    ["the first turn", turn("arrive"), 0, "W9001"],
    ["the wait for a turn", turn("sync"), 0, "W9226"],
    ["the turn that is passed on", turn("arrive"), 1, "W9001"],
  ])("%s", async (_, pattern, n, code) => expect(await without(pattern, n)).toBe(code));
});
