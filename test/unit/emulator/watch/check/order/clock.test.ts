import fc from "fast-check";
import { expect, it } from "vitest";
import { Clock, type Home } from "../../../../../../src/emulator/watch/check/order/clock.ts";
import { ofProperty } from "../../../../../support/amount.ts";

it("clocks that hear of each other in turns stay as long as there are slots", () => {
  const home = {};
  const [one, other] = [new Clock(home), new Clock(home)];
  one.set(10, 3);
  other.set(15, 1);
  // Doubling would end in an array that is too long.
  for (let round = 0; round < 200; round++) {
    other.join(one);
    one.join(other);
  }
  expect([one.tickOf(10), other.tickOf(10), one.tickOf(11)]).toEqual([3, 3, 0]);
});

/** Clocks pass on by reference what they know of others; here each has a table of its own, by home, slot and lane. */
it("clocks of several clusters know what a table of all that was passed on knows", () => {
  const homes: readonly Home[] = [{}, {}, {}];
  const owners = [0, 0, 1, 1, 2, 2];
  const [slots, lanes] = [2, [0, 31]];
  const index = fc.nat(owners.length - 1);
  const step = fc.oneof(
    fc.record({ kind: fc.constant("set" as const), of: index, slot: fc.nat(slots - 1), tick: fc.integer({ min: 1, max: 9 }) }),
    fc.record({
      kind: fc.constant("lanes" as const),
      of: index,
      slot: fc.nat(slots - 1),
      tick: fc.integer({ min: 1, max: 9 }),
      lane: fc.constantFrom(...lanes),
    }),
    fc.record({ kind: fc.constant("join" as const), of: index, from: index }),
  );
  const key = (home: number, slot: number, lane: number): string => `${home} ${slot} ${lane}`;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: "max" }), (steps) => {
      const clocks = owners.map((home) => new Clock(homes[home] as Home));
      const tables = owners.map(() => new Map<string, number>());
      const raise = (table: Map<string, number>, at: string, tick: number) => table.set(at, Math.max(table.get(at) ?? 0, tick));
      for (const s of steps) {
        const [clock, table, home] = [clocks[s.of], tables[s.of], owners[s.of]];
        if (!clock || !table || home === undefined) continue;
        if (s.kind === "set") {
          clock.set(s.slot, s.tick);
          for (const lane of lanes) raise(table, key(home, s.slot, lane), s.tick);
        } else if (s.kind === "lanes") {
          clock.setLanes(s.slot, s.tick, 1 << s.lane);
          raise(table, key(home, s.slot, s.lane), s.tick);
        } else {
          clock.join(clocks[s.from] as Clock);
          for (const [at, tick] of tables[s.from] ?? []) raise(table, at, tick);
        }
      }
      const known = (i: number): string[] =>
        homes.flatMap((home, h) =>
          [0, 1].flatMap((slot) =>
            lanes.map((lane) => {
              const last = [9, 8, 7, 6, 5, 4, 3, 2, 1].find((tick) => clocks[i]?.covers(home, slot, tick, 1 << lane)) ?? 0;
              return `${key(h, slot, lane)}: ${last}`;
            }),
          ),
        );
      const expected = (i: number): string[] =>
        homes.flatMap((_, h) =>
          [0, 1].flatMap((slot) => lanes.map((lane) => `${key(h, slot, lane)}: ${tables[i]?.get(key(h, slot, lane)) ?? 0}`)),
        );
      for (let i = 0; i < owners.length; i++) expect(known(i)).toEqual(expected(i));
    }),
    ofProperty(200, 200),
  );
});
