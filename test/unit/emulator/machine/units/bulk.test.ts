import { describe, expect, it } from "vitest";
import {
  allThrough,
  commitGroup,
  createAsyncGroups,
  groupsThrough,
  issueAsyncCopy,
  issueBulkLoad,
  issueBulkStore,
} from "../../../../../src/emulator/machine/units/index.ts";
import { barrier, below, machine, origin, random } from "./machine.ts";

const start = 0x1410;
const memory = (): Uint8Array => {
  const next = random(4);
  return new Uint8Array(1024).map(() => below(next, 256));
};
const sharedAt = (units: ReturnType<typeof machine>, rank: number, bytes: number) =>
  units.shared[rank]!.bytes.subarray(start - 0x400, start - 0x400 + bytes);

describe("bulk copies", () => {
  it("load, for one block, many or a peer, and complete on the barrier there", () => {
    const global = memory();
    const units = machine(global, { blocks: 4 });
    const tx = (rank: number) => units.barriers.barriers.get(barrier + rank * 2 ** 24)!.tx;
    issueBulkLoad(units, { from: "global", source: origin + 32, destination: start, bytes: 48, barrier, multicast: 0b101 });
    expect([...sharedAt(units, 0, 48)]).toEqual([...global.subarray(32, 80)]);
    expect([...sharedAt(units, 2, 48)]).toEqual([...global.subarray(32, 80)]);
    expect([0, 1, 2, 3].map(tx)).toEqual([-48, 0, -48, 0]);
    const peer = 3 * 2 ** 24;
    issueBulkLoad(units, { from: "shared", source: start, destination: start + peer, bytes: 32, barrier: barrier + peer });
    expect([...sharedAt(units, 3, 32)]).toEqual([...global.subarray(32, 64)]);
    expect(tx(3)).toBe(-32);
  });

  it("reduce into a peer's memory", () => {
    const units = machine(memory(), { blocks: 2 });
    const peer = 2 ** 24;
    const words = (rank: number) => [...new Uint32Array(sharedAt(units, rank, 16).slice().buffer)];
    const expected = words(1).map((x, i) => (x + words(0)[i]!) >>> 0);
    issueBulkLoad(units, {
      from: "shared",
      source: start,
      destination: start + peer,
      bytes: 16,
      barrier: barrier + peer,
      reduce: { op: "add", type: "u32" },
    });
    expect(words(1)).toEqual(expected);
  });

  it("store and reduce in groups of the thread", () => {
    const global = memory();
    const old = new Uint32Array(global.slice().buffer);
    const units = machine(global, { schedule: "lazy" });
    const groups = createAsyncGroups();
    issueBulkStore(units, { source: start, destination: origin, bytes: 16, groups });
    commitGroup(groups);
    issueBulkStore(units, { source: start, destination: origin + 64, bytes: 16, reduce: { op: "xor", type: "b32" }, groups });
    commitGroup(groups);
    expect([0, 1, 2].map((n) => groupsThrough(groups, n))).toEqual([false, false, true]);
    const waits = (read: boolean) => [0, 1].map((n) => groupsThrough(groups, n, read));
    units.queue.landOne();
    expect([waits(true), waits(false)]).toEqual([
      [false, true],
      [false, false],
    ]);
    units.queue.landOne();
    expect(waits(false)).toEqual([false, true]);
    units.queue.landOne();
    units.queue.landOne();
    expect(groupsThrough(groups, 0)).toBe(true);
    const x = new Uint32Array(sharedAt(units, 0, 16).slice().buffer);
    const now = new Uint32Array(global.buffer);
    expect([...now.subarray(0, 4)]).toEqual([...x]);
    expect([...now.subarray(16, 20)]).toEqual([...x].map((w, i) => (w ^ old[16 + i]!) >>> 0));
    expect([...now.subarray(20)]).toEqual([...old.subarray(20)]);
  });

  it("cp.async fills with zeros what it does not read", () => {
    const global = memory();
    const units = machine(global, { schedule: "torn" });
    const groups = createAsyncGroups();
    issueAsyncCopy(units, { source: origin + 16, destination: start, bytes: 16, sourceBytes: 6, groups });
    issueAsyncCopy(units, { source: origin + 8, destination: start + 16, bytes: 8, sourceBytes: 8, groups });
    expect(allThrough(groups)).toBe(false);
    while (units.queue.inFlight > 0) units.queue.tick();
    expect(allThrough(groups)).toBe(true);
    expect([...sharedAt(units, 0, 24)]).toEqual([
      ...global.subarray(16, 22),
      ...new Array(10).fill(0),
      ...global.subarray(8, 16),
    ]);
  });

  it.each([
    ["W9111", { source: origin + 8 }],
    ["W9111", { destination: start + 4 }],
    ["W9112", { destination: 0x10400 }],
    ["W9114", { bytes: 24 }],
    ["W9118", { barrier: barrier + 2 ** 24 }],
  ])("are refused with %s", (code, changes) => {
    const units = machine(memory());
    const load = { from: "global", source: origin, destination: start, bytes: 32, barrier } as const;
    expect(() => issueBulkLoad(units, { ...load, ...changes })).toThrow(expect.objectContaining({ code }));
  });
});
