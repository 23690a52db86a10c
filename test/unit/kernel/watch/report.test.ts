import { describe, expect, it } from "vitest";
import { answered, asks, tells } from "../../../../src/base/watch-layout.ts";
import type { WaitSite } from "../../../../src/ir/index.ts";
import { questionsFor } from "../../../../src/kernel/watch/questions.ts";
import { readWarps } from "../../../../src/kernel/watch/records.ts";
import { explainHang, type Watched } from "../../../../src/kernel/watch/report.ts";
import { decodeState, describeState } from "../../../../src/kernel/watch/state.ts";
import { recordsOf, type WrittenWarp } from "../../../support/written-records.ts";

const at = (line: number) => [{ file: "main.ts", line, column: 3, length: 1 }];

const waits: readonly WaitSite[] = [
  { waits: "mbarrier", op: "mbarrier.wait", spans: at(10) },
  { waits: "block", op: "bar.sync", id: 3, count: 96, spans: at(11) },
  { waits: "memory", op: "atom.cas", spans: at(12) },
  { waits: "earlier grid", op: "griddepcontrol.wait", spans: at(13) },
  { waits: "cluster", op: "barrier.cluster.wait", spans: at(14) },
];

const watched: Watched = {
  kernel: "k",
  launch: 224,
  seconds: 2,
  grid: [4, 1, 1],
  block: [128, 1, 1],
  cluster: [1, 1, 1],
  waits,
  buffers: [{ id: 0, name: "full", bytes: 16, align: 8, offset: 64, spans: [] }],
  memories: () => [{ name: "lock", space: "global", begin: 0x7000, bytes: 256, elements: { bytes: 4, shape: [64] } }],
  spans: at(99),
};

const warp = (number: number, more: Partial<WrittenWarp> = {}): WrittenWarp => ({
  launch: 224,
  block: [0, 0, 0],
  warp: number,
  ...more,
});

const told = (of: Watched, warps: readonly WrittenWarp[], seconds = 2): string | undefined =>
  explainHang(of, recordsOf(warps), seconds)?.message;

describe("records", () => {
  it("are read back by launch, in the order of blocks, with the lanes that live", () => {
    const records = recordsOf([
      warp(1, { block: [1, 0, 0], ended: 0xff }),
      warp(0, { ended: 0xffff_ffff }),
      warp(2, { launch: 192 }),
    ]);
    expect(readWarps(records, 224)).toEqual([
      { slot: 1, block: [0, 0, 0], warp: 0, live: 0, waits: [] },
      { slot: 0, block: [1, 0, 0], warp: 1, live: 0xffff_ff00, waits: [] },
    ]);
  });
});

describe("a launch that a question has stopped", () => {
  it("is told of all the same, and that nobody has answered", () => {
    const records = recordsOf([warp(0, { waits: [{ site: 0, place: 72 }] })]);
    expect(explainHang(watched, records, 2, "stopped")?.message).toContain("the GPU has stopped when they were asked");
    expect(explainHang(watched, records, 2)?.message).not.toContain("has stopped");
  });
});

describe("records of a graph that is launched again", () => {
  it("have what ended before under the same number: it is left out where the warp is there again", () => {
    const records = recordsOf([
      warp(0, { ended: 0xffff_ffff }),
      warp(0, { waits: [{ site: 1 }] }),
      warp(1, { ended: 0xffff_ffff }),
    ]);
    expect(readWarps(records, 224).map(({ slot, live }) => [slot, live !== 0])).toEqual([
      [1, true],
      [2, false],
    ]);
  });
});

describe("questions", () => {
  const at = (place: number, lanes?: number) => ({ site: 0, place, ...(lanes === undefined ? {} : { lanes }) });

  it("go to one warp for each mbarrier of a block", () => {
    const records = recordsOf([
      warp(0, { waits: [at(64, 0xf0)] }),
      warp(1, { waits: [at(64)] }),
      warp(2, { waits: [{ site: 1 }] }),
      warp(0, { block: [1, 0, 0], waits: [at(64)] }),
      warp(3, { launch: 256, waits: [at(64)] }),
    ]);
    const { words } = questionsFor(records, 224, waits) ?? {};
    expect(words?.subarray(0, 6)).toEqual(Uint32Array.from([asks(0), 0, 0, asks(0), 0, 0]));
  });

  it("are put where a warp is in no wait, too, as they change nothing; not where nobody waits for an mbarrier", () => {
    const { words } = questionsFor(recordsOf([warp(0), warp(1, { waits: [at(72)] })]), 224, waits) ?? {};
    expect(words?.subarray(0, 3)).toEqual(Uint32Array.from([0, asks(0), 0]));
    expect(questionsFor(recordsOf([warp(0, { waits: [{ site: 1 }] })]), 224, waits)).toBeUndefined();
  });

  it("ask first which mbarrier a warp waits for, where it has not told", () => {
    const silent = recordsOf([warp(0, { waits: [at(0, 0)] }), warp(1, { waits: [at(72)] })]);
    const questions = questionsFor(silent, 224, waits);
    expect(questions?.words.subarray(0, 3)).toEqual(Uint32Array.from([tells, 0, 0]));
    expect(questions?.answered(silent)).toBe(false);
    const told = recordsOf([warp(0, { waits: [at(64)] }), warp(1, { waits: [at(72)] })]);
    expect(questions?.answered(told)).toBe(true);
    expect(questions?.next?.(told)?.words.subarray(0, 3)).toEqual(Uint32Array.from([asks(0), asks(0), 0]));
    // Who says nothing is left out.
    expect(questions?.next?.(silent)?.words.subarray(0, 3)).toEqual(Uint32Array.from([0, asks(0), 0]));
  });

  it("are answered when each mbarrier has said what it lacks", () => {
    const said = { ...at(64), address: (BigInt(answered + 64) << 32n) | 224n };
    const both = (first: object, second: object): Uint32Array =>
      recordsOf([warp(0, { waits: [{ ...at(64), ...first }] }), warp(1, { waits: [{ ...at(72), ...second }] })]);
    const questions = questionsFor(both({}, {}), 224, waits);
    expect(questions?.answered(both(said, {}))).toBe(false);
    expect(questions?.answered(both(said, { address: (BigInt(answered + 72) << 32n) | 6n }))).toBe(false);
    expect(questions?.answered(both(said, { address: (BigInt(answered + 72) << 32n) | 224n }))).toBe(true);
  });
});

describe("the state of an mbarrier", () => {
  // As an H200 gave them: test/tools/mbarrier-bits.ts.
  it.each([
    ["init 5, arrive 2, expect 4096", 0x7fff_ebfe_001f_fff6n, "3 of 5 arrivals and 4096 bytes"],
    ["init 5, arrive 1, expect 4096", 0x7fff_e3fe_001f_fff6n, "4 of 5 arrivals and 4096 bytes"],
  ])("%s", (_, state, says) => expect(describeState(decodeState(state))).toBe(says));
});

describe("a launch that does not end", () => {
  it("is told by what its warps wait for, mbarriers first and who has ended last", () => {
    const message = told(watched, [
      warp(0, { waits: [{ site: 1 }] }),
      warp(1, { waits: [{ site: 0, place: 72, number: 1 }] }),
      warp(2, { ended: 0xffff_ffff }),
      warp(3, { waits: [{ site: 2, found: 1n, address: 0x7004n }] }),
    ]);
    expect(message?.split("\n").slice(0, 6)).toEqual([
      "W7750  k does not end: nothing has changed in it for 2 s.",
      "  warp 1 of block (0, 0, 0) at mbarrier.wait (main.ts:10:3); it waits for the phase of parity 1 of the mbarrier full[1]",
      "  warp 3 of block (0, 0, 0) at atom.cas (main.ts:12:3); it finds 1 at 0x7004 (element 1 of lock, [64])",
      "  warp 0 of block (0, 0, 0) at bar.sync (main.ts:11:3); it waits for barrier 3, where 32 of 96 threads wait",
      "  warp 2 of block (0, 0, 0) at their end: they have exited",
      "  3 of 4 blocks have not begun: they wait for room on the GPU",
    ]);
  });

  it("counts whole warps at a barrier, and names lanes that are there alone", () => {
    const message = told(watched, [warp(0, { waits: [{ site: 1, lanes: 0xffff }] }), warp(1, { waits: [{ site: 1 }] })]);
    expect(message).toContain(
      "warp 0 of block (0, 0, 0) at bar.sync (main.ts:11:3), lanes 0-15 alone; it waits for barrier 3, where 32 of 96",
    );
  });

  it("is none where no warp of it is there, and where all wait for launches before it", () => {
    expect(told(watched, [warp(0, { ended: 0xffff_ffff })])).toBeUndefined();
    expect(told(watched, [warp(0, { launch: 256 })])).toBeUndefined();
    expect(told(watched, [warp(0, { waits: [{ site: 3 }] })])).toBeUndefined();
  });

  it("is told of a warp that has not said which mbarrier it waits for", () => {
    expect(told(watched, [warp(1, { waits: [{ site: 0, place: 72, lanes: 0 }] })])).toContain(
      "warp 1 of block (0, 0, 0) at mbarrier.wait (main.ts:10:3); it waits for a phase of an mbarrier: which one it has not said",
    );
  });

  it("is told with what an mbarrier lacks that was asked, for all that wait there; a state of another phase says nothing", () => {
    // As an H200 gave it: three of five arrivals and 4096 bytes are pending in phase 0.
    const answer = { site: 0, place: 72, found: 0x7fff_ebfe_001f_fff6n, address: (BigInt(answered + 72) << 32n) | 224n };
    const lacks = (parity: number): string | undefined =>
      told(watched, [
        warp(1, { waits: [{ ...answer, number: parity }] }),
        warp(2, { waits: [{ site: 0, place: 72, number: parity }] }),
      ]);
    expect(lacks(0)).toContain(
      "warp 1 of block (0, 0, 0), warp 2 of block (0, 0, 0) at mbarrier.wait (main.ts:10:3); it waits for the phase of parity 0 of the mbarrier full[1], which lacks 3 of 5 arrivals and 4096 bytes",
    );
    expect(lacks(1)).not.toContain("lacks");
  });

  it("is given twice the time where a warp is in no wait", () => {
    const warps = [warp(0), warp(1, { waits: [{ site: 1 }] })];
    expect(told(watched, warps, 3)).toBeUndefined();
    expect(told(watched, warps, 4)).toContain("warp 0 of block (0, 0, 0) in no wait that is recorded");
  });
});
