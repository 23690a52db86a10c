import { describe, expect, it } from "vitest";
import { type AsyncPolicy, createAsyncQueue } from "../../../../src/emulator/units/index.ts";

/** Names of operations in the order in which they land: a letter for the channel, then a number. */
function landings(policy: AsyncPolicy, ticks: number): string[] {
  const landed: string[] = [];
  const queue = createAsyncQueue(policy);
  const channels = { a: {}, b: {}, c: {} };
  for (const i of [1, 2, 3]) {
    for (const [name, channel] of Object.entries(channels)) queue.issue(channel, () => void landed.push(`${name}${i}`));
  }
  for (let i = 0; i < ticks; i += 1) queue.tick();
  return landed;
}

describe("a queue", () => {
  const issued = ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"];

  it("lands at once when it is eager", () => {
    expect(landings({ kind: "eager" }, 0)).toEqual(issued);
  });

  it("lands only when asked to when it is lazy, but does not starve who waits", () => {
    expect(landings({ kind: "lazy" }, 100)).toEqual([]);
    expect(landings({ kind: "lazy" }, 10_000)).toEqual(issued);
  });

  it("keeps the order of each channel, and of no two, when it is random", () => {
    const orders = [1, 2, 3, 4].map((seed) => landings({ kind: "random", seed }, 1000));
    expect(new Set(orders.map(String)).size).toBeGreaterThan(1);
    expect(orders[0]).toEqual(landings({ kind: "random", seed: 1 }, 1000));
    for (const order of orders) {
      expect([...order].sort()).toEqual([...issued].sort());
      for (const channel of "abc") expect(order.filter((o) => o[0] === channel)).toEqual([1, 2, 3].map((i) => channel + i));
    }
  });
});
