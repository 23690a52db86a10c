import { describe, expect, it } from "vitest";
import type { WaitSite } from "../../../../src/ir/index.ts";
import { decodeMbarrier } from "../../../../src/kernel/watch/mbarrier-bits.ts";
import { readWarps } from "../../../../src/kernel/watch/records.ts";
import { explainHang, type Watched } from "../../../../src/kernel/watch/report.ts";
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
  launch: 7,
  seconds: 2,
  grid: [4, 1, 1],
  block: [128, 1, 1],
  cluster: [1, 1, 1],
  waits,
  buffers: [{ id: 0, name: "full", bytes: 16, align: 8, offset: 64, spans: [] }],
  memories: () => [{ name: "lock", space: "global", begin: 0x7000, bytes: 256, elements: { bytes: 4, shape: [64] } }],
  spans: at(99),
};

/** Bits of an mbarrier, as the hardware keeps them: seen by test/tools/mbarrier-bits.ts on an H200. */
const bits = (parity: bigint, pending: bigint, expected: bigint): bigint =>
  (parity << 63n) | (((1n << 20n) - pending) << 43n) | (((1n << 20n) - expected) << 1n);

const warp = (number: number, more: Partial<WrittenWarp> = {}): WrittenWarp => ({
  launch: 7,
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
      warp(2, { launch: 6 }),
    ]);
    expect(readWarps(records, 7)).toEqual([
      { block: [0, 0, 0], warp: 0, live: 0, waits: [] },
      { block: [1, 0, 0], warp: 1, live: 0xffff_ff00, waits: [] },
    ]);
  });
});

describe("the bits of an mbarrier", () => {
  // Of an H200: behind init 2 and four arrivals, init 3 and three, init 128 and 256, init 1048575 and one past its first phase.
  it.each([
    ["0x7ffff000001ffffc", { parity: 0, pending: 2, expected: 2, bytes: 0 }],
    ["0xffffe800001ffffa", { parity: 1, pending: 3, expected: 3, bytes: 0 }],
    ["0x7ffc0000001fff00", { parity: 0, pending: 128, expected: 128, bytes: 0 }],
    ["0x8000100000000002", { parity: 1, pending: 0xffffe, expected: 0xfffff, bytes: 0 }],
  ])("%s", (text, state) => {
    expect(decodeMbarrier(BigInt(text))).toEqual(state);
  });
  it("are not believed where nobody can have initialised it so", () => {
    for (const wrong of [0n, 1n, bits(0n, 3n, 2n)]) expect(decodeMbarrier(wrong)).toBeUndefined();
  });
});

describe("a launch that does not end", () => {
  it("is told by what its warps wait for, mbarriers first and who has ended last", () => {
    const message = told(watched, [
      warp(0, { waits: [{ site: 1 }] }),
      warp(1, { waits: [{ site: 0, place: 72, number: 1, found: bits(1n, 1n, 2n) }] }),
      warp(2, { ended: 0xffff_ffff }),
      warp(3, { waits: [{ site: 2, found: 1n, address: 0x7004n }] }),
    ]);
    expect(message?.split("\n").slice(0, 6)).toEqual([
      "W7750  k does not end: nothing has changed in it for 2 s.",
      "  warp 1 of block (0, 0, 0) at mbarrier.wait (main.ts:10:3); it waits for the phase of parity 1 of the mbarrier full[1], which lacks 1 of 2 arrivals and 0 bytes",
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

  it("says what is unknown where the bits of an mbarrier are not those of one", () => {
    const message = told(watched, [warp(0, { waits: [{ site: 0, place: 64, found: 0n }] })]);
    expect(message).toContain("the mbarrier full[0]; its arrivals and bytes are unknown");
  });

  it("is none where no warp of it is there, and where all wait for launches before it", () => {
    expect(told(watched, [warp(0, { ended: 0xffff_ffff })])).toBeUndefined();
    expect(told(watched, [warp(0, { launch: 8 })])).toBeUndefined();
    expect(told(watched, [warp(0, { waits: [{ site: 3 }] })])).toBeUndefined();
  });

  it("is given twice the time where a warp is in no wait", () => {
    const warps = [warp(0), warp(1, { waits: [{ site: 1 }] })];
    expect(told(watched, warps, 3)).toBeUndefined();
    expect(told(watched, warps, 4)).toContain("warp 0 of block (0, 0, 0) in no wait that is recorded");
  });
});
