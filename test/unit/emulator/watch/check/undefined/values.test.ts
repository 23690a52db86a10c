import { describe, expect, it } from "vitest";
import { randomFrom } from "../../../../../layouts/random.ts";
import { randomOnes } from "../../../../../support/amount.ts";
import { expectMarked, findings } from "../finds.ts";

const one = { outputBytes: 256, sharedBytes: 1024, block: [1, 1, 1] as const };
const warp = { outputBytes: 256, sharedBytes: 1024 };

/** Instructions of a thread with 16 bytes of local memory. */
const local = (body: string): string => `
  .local .align 16 .b8 own[16];
${body}`;
const store = "st.global.u32 [%out], %r2;";

describe("undefined bits that nothing depends on", () => {
  it.each([
    [
      "a bit field that is set, stored and read again",
      `ld.local.u32 %r1, [own];
  and.b32 %r1, %r1, -255;
  or.b32 %r1, %r1, 2;
  st.local.u32 [own], %r1;
  ld.local.u8 %r2, [own];
  bfe.u32 %r2, %r2, 1, 7;
  ${store}`,
    ],
    [
      "the same with a mask in a register",
      `mov.u32 %r3, 0xff00;
  ld.local.u32 %r1, [own];
  st.local.u8 [own+1], 5;
  ld.local.u32 %r1, [own];
  and.b32 %r2, %r1, %r3;
  ${store}`,
    ],
    [
      "a field that is put in",
      `ld.local.u32 %r1, [own];
  bfi.b32 %r1, 7, %r1, 4, 8;
  bfe.u32 %r2, %r1, 4, 8;
  ${store}`,
    ],
    [
      "what is read and thrown away",
      "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [smem];\n  mov.u32 %r2, 1;\n  st.global.u32 [%out], 1;",
    ],
    [
      "what is copied to local memory",
      "ld.local.v2.u32 {%r1, %r3}, [own];\n  st.local.v2.u32 [own+8], {%r1, %r3};\n  st.global.u32 [%out], 1;",
    ],
    [
      "what a guard lets in, and nobody uses",
      `ld.local.u32 %r1, [own];\n  setp.eq.u32 %p1, %r1, 7;\n  @%p1 mov.u32 %r3, 1;\n  st.global.u32 [%out], 1;`,
    ],
    ["what a select leaves", `ld.local.u32 %r1, [own];\n  setp.eq.u32 %p1, %tid, 5;\n  selp.u32 %r2, %r1, 3, %p1;\n  ${store}`],
    [
      "what a select leaves, in 64 bits and by the other operand",
      `ld.local.u64 %d1, [own];\n  setp.eq.u32 %p1, %tid, 0;\n  selp.b64 %d2, 3, %d1, %p1;\n  st.global.u64 [%out], %d2;`,
    ],
    [
      "what a guard does not let in",
      `ld.local.u32 %r1, [own];\n  setp.eq.u32 %p1, %tid, 5;\n  mov.u32 %r2, 3;\n  @%p1 mov.u32 %r2, %r1;\n  ${store}`,
    ],
    [
      "what a guard puts something else in the place of",
      `ld.local.u32 %r2, [own];\n  setp.eq.u32 %p1, %tid, 5;\n  @!%p1 mov.u32 %r2, 3;\n  ${store}`,
    ],
    [
      "what the second of two selects leaves",
      `ld.local.u32 %r1, [own];
  setp.eq.u32 %p1, %tid, 0;
  selp.u32 %r2, %r1, 3, %p1;
  setp.eq.u32 %p1, %tid, 1;
  selp.u32 %r2, %r2, 4, %p1;
  ${store}`,
    ],
    [
      "a comparison behind an `or` whose other side is true",
      `ld.local.u32 %r1, [own];
  setp.eq.u32 %p1, %r1, 7;
  setp.eq.u32 %p2, %tid, 0;
  or.pred %p3, %p1, %p2;
  @%p3 bra $end;
$end:
  st.global.u32 [%out], 1;`,
    ],
    [
      "a comparison that is joined with false by `and`, and a predicate that a false comparison is joined with",
      `ld.local.u32 %r1, [own];
  setp.eq.u32 %p2, %tid, 5;
  setp.eq.and.u32 %p1, %r1, 7, %p2;
  setp.eq.u32 %p3, %r1, 8;
  setp.eq.and.u32 %p3, %tid, 5, %p3;
  or.pred %p1, %p1, %p3;
  selp.u32 %r2, 3, 4, %p1;
  ${store}`,
    ],
    ["x ^ x", `ld.local.u32 %r1, [own];\n  xor.b32 %r2, %r1, %r1;\n  ${store}`],
    [
      "a comparison of defined bits",
      `ld.local.u32 %r1, [own];
  or.b32 %r1, %r1, 0xfffffff0;
  shr.u32 %r1, %r1, 4;
  setp.eq.u32 %p1, %r1, 7;
  @%p1 bra $end;
$end:
  st.global.u32 [%out], 1;`,
    ],
  ])("%s", async (_, body) => {
    await expectMarked({ ...one, body: local(`  ${body}`) });
  });
});

describe("undefined bits that something depends on, told of at the load", () => {
  it.each([
    ["memory that others read", `ld.local.u32 %r2, [own]; // W9209\n  ${store}`],
    ["one bit too many", `ld.local.u32 %r1, [own]; // W9209\n  and.b32 %r2, %r1, 1;\n  ${store}`],
    [
      "the other bits of a bit field",
      `ld.local.u32 %r1, [own];
  and.b32 %r1, %r1, -255;
  or.b32 %r1, %r1, 2;
  st.local.u32 [own], %r1;
  ld.local.u32 %r2, [own]; // W9209
  and.b32 %r2, %r2, 1;
  ${store}`,
    ],
    [
      "a copy in local memory",
      `ld.local.u32 %r1, [own];\n  st.local.u32 [own+8], %r1;\n  ld.local.u32 %r2, [own+8]; // W9209\n  ${store}`,
    ],
    [
      "a branch",
      `ld.local.u32 %r1, [own]; // W9209
  setp.eq.u32 %p1, %r1, 7;
  @%p1 bra $end;
  st.global.u32 [%out], 1;
$end:`,
    ],
    ["a guard of a store", `ld.local.u32 %r1, [own]; // W9209\n  setp.eq.u32 %p1, %r1, 7;\n  @%p1 st.global.u32 [%out], 1;`],
    [
      "what a guard lets in",
      `ld.local.u32 %r1, [own]; // W9209\n  setp.eq.u32 %p1, %r1, 7;\n  mov.u32 %r3, 2;\n  @%p1 mov.u32 %r3, 1;\n  st.global.u32 [%out], %r3;`,
    ],
    [
      "a select that takes it",
      `ld.local.u32 %r1, [own]; // W9209\n  setp.eq.u32 %p1, %tid, 0;\n  selp.u32 %r2, %r1, 3, %p1;\n  ${store}`,
    ],
    [
      "of two selects, the one that takes it",
      `ld.local.u32 %r1, [own]; // W9209
  setp.eq.u32 %p1, %tid, 0;
  selp.u32 %r2, %r1, 3, %p1;
  setp.eq.u32 %p1, %tid, 1;
  selp.u32 %r2, 4, %r2, %p1;
  ${store}`,
    ],
    [
      "what a defined guard lets in",
      `ld.local.u32 %r1, [own]; // W9209\n  setp.eq.u32 %p1, %tid, 0;\n  mov.u32 %r2, 3;\n  @%p1 mov.u32 %r2, %r1;\n  ${store}`,
    ],
    [
      "what a guard leaves there",
      `ld.local.u32 %r2, [own]; // W9209\n  setp.eq.u32 %p1, %tid, 5;\n  @%p1 mov.u32 %r2, 3;\n  ${store}`,
    ],
    [
      "the condition of a select",
      `ld.local.u32 %r1, [own]; // W9209\n  setp.eq.u32 %p1, %r1, 7;\n  selp.u32 %r2, 3, 4, %p1;\n  ${store}`,
    ],
    [
      "an `or` whose other side is false",
      `ld.local.u32 %r1, [own]; // W9209
  setp.eq.u32 %p1, %r1, 7;
  setp.eq.u32 %p2, %tid, 5;
  or.pred %p3, %p1, %p2;
  selp.u32 %r2, 3, 4, %p3;
  ${store}`,
    ],
    [
      "a comparison that is joined with true by `and`",
      `ld.local.u32 %r1, [own]; // W9209
  setp.eq.u32 %p2, %tid, 0;
  setp.eq.and.u32 %p1, %r1, 7, %p2;
  selp.u32 %r2, 3, 4, %p1;
  ${store}`,
    ],
    [
      "an `xor`, whatever the other side is",
      `ld.local.u32 %r1, [own]; // W9209
  setp.eq.u32 %p2, %tid, 0;
  setp.eq.xor.u32 %p1, %r1, 7, %p2;
  selp.u32 %r2, 3, 4, %p1;
  ${store}`,
    ],
    [
      "an address",
      `ld.local.u32 %r1, [own]; // W9209
  and.b32 %r1, %r1, 4;
  cvt.u64.u32 %d1, %r1;
  add.u64 %d1, %out, %d1;
  st.global.u32 [%d1], 1;`,
    ],
    ["a sum", `ld.local.u32 %r1, [own]; // W9209\n  add.u32 %r2, %r1, 1;\n  shr.u32 %r2, %r2, 31;\n  ${store}`],
    ["an atomic", "ld.local.u32 %r1, [own]; // W9209\n  red.global.max.u32 [%in], %r1;"],
    ["a carry", `ld.local.u32 %r1, [own]; // W9209\n  add.cc.u32 %r3, %r1, 1;\n  addc.u32 %r2, 0, 0;\n  ${store}`],
  ])("%s", async (_, body) => {
    await expectMarked({ ...one, body: local(`  ${body}`) });
  });

  it("what lanes hand to each other", async () => {
    const body = (mark: string, after: string): string => `
  mov.u32 %r20, smem;
  setp.ne.u32 %p1, %tid, 0;
  @%p1 st.shared.u32 [%r20+4], 1;
  mov.u32 %r1, 1;
  @!%p1 ld.shared.u32 %r1, [%r20];${mark}
  shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;
  ${after}
  mul.wide.u32 %d1, %tid, 4;
  add.u64 %d1, %out, %d1;
  st.global.u32 [%d1], %r2;`;
    await expectMarked({ ...warp, body: body(" // W9209", "") });
    await expectMarked({ ...warp, body: body("", "and.b32 %r2, %r2, 0;") });
  });

  /** Shuffles by constants; of some lanes the value is undefined at first. `takes` says whose value a lane takes, itself where there is nobody. */
  const shuffles = [
    ...[1, 2, 4, 8, 16].map((n) => ({
      text: `down.b32 %r3, %r1, ${n}, 31`,
      takes: (lane: number) => (lane + n < 32 ? lane + n : lane),
    })),
    ...[1, 2, 4, 8, 16].map((n) => ({
      text: `up.b32 %r3, %r1, ${n}, 0`,
      takes: (lane: number) => (lane >= n ? lane - n : lane),
    })),
    ...[1, 2, 4, 8, 16].map((n) => ({ text: `bfly.b32 %r3, %r1, ${n}, 31`, takes: (lane: number) => lane ^ n })),
    ...[0, 7, 31].map((n) => ({ text: `idx.b32 %r3, %r1, ${n}, 31`, takes: () => n })),
  ];
  const maskOf = (lanes: readonly boolean[]): number =>
    lanes.reduce((bits, yes, lane) => (yes ? bits | (1 << lane) : bits), 0) >>> 0;
  /** %p3 in the lanes of a mask. */
  const predicate = (lanes: readonly boolean[]): string =>
    `shr.u32 %r4, ${maskOf(lanes)}, %tid;\n  and.b32 %r4, %r4, 1;\n  setp.ne.u32 %p3, %r4, 0;`;
  /** What is done with the value of each lane; `own` and `other` say whether these are undefined. */
  const choices: readonly {
    readonly text: string;
    readonly result: (own: boolean, other: boolean, holds: boolean) => boolean;
  }[] = [
    { text: "selp.b32 %r1, %r1, 7, %p3;", result: (own, _, holds) => holds && own },
    { text: "selp.b32 %r1, %r3, %r1, %p3;", result: (own, other, holds) => (holds ? other : own) },
    { text: "@%p3 mov.u32 %r1, 7;", result: (own, _, holds) => !holds && own },
    { text: "@!%p3 mov.u32 %r1, %r3;", result: (own, other, holds) => (holds ? own : other) },
    { text: "@%p3 add.u32 %r1, %r1, %r3;", result: (own, other, holds) => own || (holds && other) },
    { text: "@%p3 selp.b32 %r1, %r3, 7, %p4;", result: (own, other, holds) => (holds ? other : own) },
    {
      text: "setp.ge.u32 %p5, %r3, 0;\n  and.pred %p6, %p5, %p3;\n  selp.b32 %r1, 5, %r1, %p6;",
      result: (own, other, holds) => (holds ? other : own),
    },
    {
      text: "setp.ge.u32 %p5, %r3, 0;\n  or.pred %p6, %p3, %p5;\n  selp.b32 %r1, %r1, 5, %p6;",
      result: (own, other, holds) => own || (!holds && other),
    },
    {
      text: "setp.lt.or.u32 %p6, %r3, 0, %p3;\n  selp.b32 %r1, 5, %r1, %p6;",
      result: (own, other, holds) => !holds && (own || other),
    },
    {
      text: "@%p4 setp.ge.and.u32 %p6, %r3, 0, %p3;\n  selp.b32 %r1, 5, %r1, %p6;",
      result: (own, other, holds) => (holds ? other : own),
    },
  ];
  it("whatever shuffles, selects and guards a value goes through, where it reaches memory and nowhere else", {
    timeout: 120_000,
  }, async () => {
    const { places, seed } = randomOnes(1000, 8);
    let [told, silent] = [0, 0];
    for (const place of places) {
      const { below } = randomFrom(seed * 65_536 + place);
      const lanes = Array.from({ length: 32 }, () => below(3) === 0);
      const by = below(32);
      let isUndefined = lanes;
      /** Of %r3, which a shuffle fills. */
      let other: readonly boolean[] = lanes.map(() => false);
      const steps = Array.from({ length: 1 + below(8) }, () => {
        if (below(2) === 0) {
          const holds = Array.from({ length: 32 }, () => below(2) === 0);
          const { text, result } = choices[below(choices.length)] ?? { text: "", result: (own: boolean) => own };
          isUndefined = isUndefined.map((own, lane) => result(own, other[lane] ?? false, holds[lane] ?? false));
          return `${predicate(holds)}\n  ${text}`;
        }
        const { text, takes } = shuffles[below(shuffles.length)] ?? { text: "", takes: (lane: number) => lane };
        const isAdded = below(2) === 0;
        other = isUndefined.map((_, lane) => isUndefined[takes(lane)] ?? false);
        isUndefined = isUndefined.map((own, lane) => (other[lane] ?? false) || (isAdded && own));
        return `shfl.sync.${text}, -1;\n  ${isAdded ? "add.u32 %r1, %r1, %r3;" : "mov.u32 %r1, %r3;"}`;
      });
      const isTold = isUndefined[by] === true;
      if (isTold) told++;
      else silent++;
      const found = await findings({
        ...warp,
        body: `
  mov.u32 %r20, smem;
  mov.u32 %r1, 1;
  mov.u32 %r3, 2;
  setp.eq.u32 %p4, 0, 0;
  ${predicate(lanes)}
  @%p3 ld.shared.u32 %r1, [%r20];
  ${steps.join("\n  ")}
  setp.eq.u32 %p2, %tid, ${by};
  @%p2 st.global.u32 [%out], %r1;`,
      });
      expect([place, found.map(({ code }) => code)]).toEqual([place, isTold ? ["W9209"] : []]);
    }
    expect(Math.min(told, silent)).toBeGreaterThan(0);
  });

  it("lanes that the block does not have, where nobody uses what came from them", async () => {
    const fold = (by: number): string => `
  mov.u32 %r1, %tid;
${[8, 4, 2, 1].map((n) => `  shfl.sync.down.b32 %r2, %r1, ${n}, 31, -1;\n  add.u32 %r1, %r1, %r2;`).join("\n")}
  setp.eq.u32 %p1, %tid, ${by};
  @%p1 st.global.u32 [%out], %r1;`;
    const half = { ...warp, block: [16, 1, 1] as const };
    for (const check of ["normal", "strict"] as const) expect(await findings({ ...half, body: fold(0) }, check)).toEqual([]);
    expect((await findings({ ...half, body: fold(1) })).map(({ code }) => code)).toContain("W9240");
  });

  it("under schedules that take lanes apart", async () => {
    const body = (mark: string, mask: number): string =>
      local(`
  ld.local.u32 %r1, [own];
  and.b32 %r1, %r1, 0xffffff00;
  or.b32 %r1, %r1, 3;
  st.local.u32 [own], %r1;
  setp.lt.u32 %p1, %tid, 7;
  @%p1 bra $low;
  st.local.u8 [own+1], 0;
$low:
  ld.local.u32 %r2, [own];${mark}
  and.b32 %r2, %r2, ${mask};
  mul.wide.u32 %d1, %tid, 4;
  add.u64 %d1, %out, %d1;
  st.global.u32 [%d1], %r2;`);
    for (const schedule of [1, 2, 3, 4, 5, 6, 7, 8]) {
      await expectMarked({ ...warp, body: body("", 255), options: { schedule } });
      await expectMarked({ ...warp, body: body(" // W9209", 0x1ff), options: { schedule } });
    }
  });
});
