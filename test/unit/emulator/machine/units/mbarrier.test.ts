import { describe, expect, it } from "vitest";
import {
  addPendingMbarrier,
  arriveMbarrier,
  completeTxMbarrier,
  createMbarrierTable,
  expectTxMbarrier,
  initMbarrier,
  invalMbarrier,
  type MbarrierTable,
  pendingCount,
  testParity,
  testState,
} from "../../../../../src/emulator/machine/units/index.ts";
import { below, random } from "./machine.ts";

const at = 0x408;
const fresh = (count: number): MbarrierTable => {
  const table = createMbarrierTable();
  initMbarrier(table, at, count);
  return table;
};
const phaseOf = (table: MbarrierTable): number => table.barriers.get(at)!.phase;

type Event = { readonly arrive: number; readonly drop: boolean } | { readonly tx: number };

/** Phases of one barrier, each with what it waits for: all that has been said of it so far, replayed from the start. */
function replay(count: number, events: readonly Event[]): { phase: number; pending: number } {
  const phases = [{ due: count, arrived: 0, dropped: 0 }];
  let bytes = 0;
  for (const event of events) {
    const current = phases.at(-1)!;
    if ("tx" in event) bytes += event.tx;
    else {
      current.arrived += event.arrive;
      if (event.drop) current.dropped += event.arrive;
    }
    const all = phases.reduce((n, p) => n - p.dropped, count);
    if (current.arrived === current.due && bytes === 0) phases.push({ due: all, arrived: 0, dropped: 0 });
  }
  const last = phases.at(-1)!;
  return { phase: phases.length - 1, pending: last.due - last.arrived };
}

describe("mbarrier", () => {
  it("does what a naive model does, step by step", () => {
    const wrong: object[] = [];
    for (let seed = 0; seed < 200; seed += 1) {
      const next = random(seed);
      const count = 1 + below(next, 5);
      const table = fresh(count);
      const events: Event[] = [];
      for (let step = 0; step < 40; step += 1) {
        const state = table.barriers.get(at)!;
        const choice = below(next, 4);
        if (choice === 0 && state.pending > 0) {
          const arrive = 1 + below(next, state.pending);
          const drop = arrive < state.expected && below(next, 4) === 0;
          events.push({ arrive, drop });
          arriveMbarrier(table, at, { count: arrive, drop });
        } else if (choice === 1) {
          const tx = 16 * (1 + below(next, 4));
          events.push({ tx });
          expectTxMbarrier(table, at, tx);
        } else if (choice === 2 && state.tx > 0) {
          const tx = below(next, 2) === 0 ? state.tx : 16;
          events.push({ tx: -tx });
          completeTxMbarrier(table, at, tx);
        } else if (choice === 3 && state.pending > 0) {
          events.push({ tx: 32 }, { arrive: 1, drop: false });
          arriveMbarrier(table, at, { expectTx: 32 });
        }
        const model = replay(count, events);
        const { pending } = table.barriers.get(at)!;
        const isModel = phaseOf(table) === model.phase && pending === model.pending;
        const areParities = [0, 1].every((parity) => testParity(table, at, parity) === (model.phase % 2 !== parity));
        if (!isModel || !areParities) wrong.push({ seed, step, phase: phaseOf(table), pending, areParities, model });
      }
    }
    expect(wrong).toEqual([]);
  });

  it("gives the state before the arrival, and waits by it", () => {
    const table = fresh(2);
    const first = arriveMbarrier(table, at);
    expect(pendingCount(first)).toBe(2);
    expect(testState(table, at, first)).toBe(false);
    const second = arriveMbarrier(table, at);
    expect(pendingCount(second)).toBe(1);
    expect(testState(table, at, first)).toBe(true);
    expect(table.completions).toBe(1);
  });

  it("does not complete while bytes are due, and counts bytes that come first", () => {
    const table = fresh(1);
    completeTxMbarrier(table, at, 64);
    arriveMbarrier(table, at, { expectTx: 128 });
    expect(phaseOf(table)).toBe(0);
    completeTxMbarrier(table, at, 64);
    expect(phaseOf(table)).toBe(1);
  });

  it("does not complete while bytes have come that nobody expects", () => {
    const table = fresh(1);
    completeTxMbarrier(table, at, 64);
    arriveMbarrier(table, at);
    expect(phaseOf(table)).toBe(0);
  });

  it("waits for pending arrivals of cp.async", () => {
    const table = fresh(1);
    addPendingMbarrier(table, at);
    arriveMbarrier(table, at);
    expect(phaseOf(table)).toBe(0);
    arriveMbarrier(table, at);
    expect(phaseOf(table)).toBe(1);
    expect(table.barriers.get(at)!.pending).toBe(1);
  });

  it.each([
    ["W9101", (t: MbarrierTable) => initMbarrier(t, 0x404, 1)],
    ["W9102", (t: MbarrierTable) => arriveMbarrier(t, 0x500)],
    ["W9102", (t: MbarrierTable) => [invalMbarrier(t, at), testParity(t, at, 0)]],
    ["W9103", (t: MbarrierTable) => initMbarrier(t, 0x410, 0)],
    ["W9103", (t: MbarrierTable) => initMbarrier(t, 0x410, 2 ** 20)],
    ["W9104", (t: MbarrierTable) => initMbarrier(t, at, 1)],
    ["W9105", (t: MbarrierTable) => arriveMbarrier(t, at, { count: 4 })],
    ["W9106", (t: MbarrierTable) => expectTxMbarrier(t, at, 2 ** 20)],
    ["W9107", (t: MbarrierTable) => arriveMbarrier(t, at, { count: 0 })],
    ["W9108", (t: MbarrierTable) => arriveMbarrier(t, at, { count: 3, noComplete: true })],
  ])("refuses with %s", (code, act) => {
    expect(() => act(fresh(3))).toThrow(expect.objectContaining({ code }));
  });
});
