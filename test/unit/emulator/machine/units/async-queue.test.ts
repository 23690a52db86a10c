import { describe, expect, it } from "vitest";
import { createChoices, type Schedule } from "../../../../../src/emulator/machine/choices.ts";
import { createAsyncQueue } from "../../../../../src/emulator/machine/units/index.ts";

/** Names of operations in the order in which they land: a letter for the channel, then a number. */
function landings(schedule: Schedule, ticks: number): string[] {
  const landed: string[] = [];
  const queue = createAsyncQueue(createChoices(schedule, 0));
  const channels = { a: {}, b: {}, c: {} };
  for (const i of [1, 2, 3]) {
    for (const [name, channel] of Object.entries(channels)) {
      queue.issue(channel, { move: () => {}, landed: () => void landed.push(`${name}${i}`) });
    }
  }
  for (let i = 0; i < ticks; i += 1) queue.tick();
  return landed;
}

/** What is done to one copy of some pieces, tick by tick. */
function history(schedule: Schedule, pieces: number, ticks: number): string[] {
  const did: string[] = [];
  const queue = createAsyncQueue(createChoices(schedule, 0));
  queue.issue(undefined, {
    move: () => void did.push("moved"),
    spoil: () => void did.push("spoilt"),
    take: () => ({ count: pieces, put: (piece) => void did.push(`${piece}`) }),
    taken: () => void did.push("taken"),
    landed: () => void did.push("landed"),
  });
  for (let i = 0; i < ticks; i += 1) {
    did.push("-");
    queue.tick();
  }
  while (queue.landOne()) did.push("|");
  return did;
}

const seeds = Array.from({ length: 200 }, (_, i) => i);

describe("a queue", () => {
  const issued = ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"];

  it("lands at once when it is eager, and by a trace without choices", () => {
    expect(landings("eager", 0)).toEqual(issued);
    expect(landings([], 0)).toEqual(issued);
    expect(history([], 3, 0)).toEqual(["moved", "taken", "landed"]);
  });

  it("lands only when asked to when it is lazy, but does not starve who waits", () => {
    expect(landings("lazy", 100)).toEqual([]);
    expect(landings("lazy", 10_000)).toEqual(issued);
    expect(history("lazy", 3, 2)).toEqual(["spoilt", "-", "-", "taken", "|", "0", "1", "2", "landed", "|"]);
  });

  it("lands one operation late where a trace says so", () => {
    const second = { launch: 0, what: "land", nth: 1, picked: 5 } as const;
    expect(landings([second], 1)).toEqual(["a1", "c1", "a2", "c2", "a3", "c3"]);
    expect(landings([second], 10_000).slice(-3)).toEqual(["b1", "b2", "b3"]);
    expect(landings([{ ...second, launch: 1 }], 0)).toEqual(issued);
  });

  it("reads early, writes pieces out of order, and is through at the end, when it is torn", () => {
    const all = history("torn", 8, 40).filter((what) => !"-|".includes(what));
    expect(all).toEqual(["spoilt", "taken", "7", "6", "5", "4", "3", "2", "1", "0", "landed"]);
    expect(history("torn", 8, 40).slice(0, 5)).toEqual(["spoilt", "taken", "7", "6", "-"]);
  });

  it("keeps the order of each channel, and of no two, by a seed", () => {
    const orders = seeds.map((seed) => landings(seed, 10_000));
    expect(new Set(orders.map(String)).size).toBeGreaterThan(20);
    expect(orders[7]).toEqual(landings(7, 10_000));
    for (const order of orders) {
      expect([...order].sort()).toEqual([...issued].sort());
      for (const channel of "abc") expect(order.filter((o) => o[0] === channel)).toEqual([1, 2, 3].map((i) => channel + i));
    }
  });

  it("writes every piece once by every seed, after the source is read, before it is through", () => {
    const pieces = ["0", "1", "2", "3", "4", "5", "6"];
    const shapes = new Set<string>();
    for (const seed of seeds) {
      const did = history(seed, pieces.length, 600).filter((what) => !"-|".includes(what));
      shapes.add(String(did));
      expect(did.at(-1)).toBe("landed");
      expect(did.filter((what) => what === "taken")).toHaveLength(1);
      if (did.includes("moved")) continue;
      expect(did.slice(0, 2)).toEqual(["spoilt", "taken"]);
      expect(did.slice(2, -1).toSorted()).toEqual(pieces);
    }
    // At once, late, and in four orders.
    expect(shapes.size).toBe(6);
  });
});
