import fc from "fast-check";
import { expect, it } from "vitest";
import { Doubts, type Failed } from "../../../../src/emulator/run/doubts.ts";
import { ofProperty } from "../../../support/amount.ts";

const size = 12;
const span = fc.tuple(fc.nat(size - 1), fc.nat(size - 1)).map(([a, b]) => ({ begin: Math.min(a, b), end: Math.max(a, b) + 1 }));
const base = fc.nat(1);
const action = fc.oneof(
  fc.record({ what: fc.constant("add" as const), base, span, failure: fc.nat(2), spoils: fc.boolean() }),
  fc.record({ what: fc.constant("write" as const), base, span }),
  fc.record({ what: fc.constant("copy" as const), base, span }),
  fc.record({ what: fc.constant("free" as const), base }),
  fc.record({ what: fc.constant("tell" as const), failure: fc.nat(2), later: fc.nat(2) }),
);

interface Told extends Failed {
  told: number | undefined;
}

it("doubts are those of each byte", () => {
  const check = (actions: readonly (typeof action extends fc.Arbitrary<infer T> ? T : never)[]): void => {
    const failures: Told[] = [{ told: undefined }, { told: undefined }, { told: undefined }];
    const doubts = new Doubts<Told>();
    /** Of each byte, in the order in which they came. */
    let plain: { base: number; at: number; failure: Told; spoils: boolean }[] = [];
    const within = (at: number, { begin, end }: { begin: number; end: number }): boolean => at >= begin && at < end;
    actions.forEach((a, issued) => {
      const live = (failure: Told): boolean => failure.told === undefined || issued < failure.told;
      const failure = failures["failure" in a ? a.failure : 0] as Told;
      if (a.what === "tell") failure.told ??= issued + a.later;
      else if (a.what === "free") {
        doubts.freed(a.base);
        plain = plain.filter((p) => p.base !== a.base);
      } else if (a.what === "write") {
        doubts.written({ base: a.base, ...a.span });
        plain = plain.filter((p) => p.base !== a.base || !within(p.at, a.span));
      } else if (a.what === "copy") {
        const to = 1 - a.base;
        doubts.copied({ base: a.base, ...a.span }, { base: to, ...a.span }, issued);
        const copied = plain.filter((p) => p.base === a.base && p.spoils && within(p.at, a.span) && live(p.failure));
        plain = [...plain.filter((p) => p.base !== to || !within(p.at, a.span)), ...copied.map((p) => ({ ...p, base: to }))];
      } else {
        doubts.add({ base: a.base, ...a.span }, failure, a.spoils ? "spoiled" : "given", issued);
        for (let at = a.span.begin; at < a.span.end; at++) plain.push({ base: a.base, at, failure, spoils: a.spoils });
      }
      for (let at = 0; at < 2 * size; at++) {
        const range = { base: at % 2, begin: at >> 1, end: (at >> 1) + 1 };
        const here = plain.filter((p) => p.base === range.base && p.at === range.begin);
        const wanted = here.find((p) => p.spoils && live(p.failure))?.failure;
        if (doubts.spoiled(range, issued) !== wanted) expect(doubts.spoiled(range, issued)).toBe(wanted);
        const given = here.find((p) => p.failure.told === undefined)?.failure;
        if (doubts.given(range) !== given) expect(doubts.given(range)).toBe(given);
      }
      const anywhere = plain.some((p) => p.spoils && live(p.failure));
      expect(doubts.anywhere(issued) !== undefined).toBe(anywhere);
    });
  };
  fc.assert(fc.property(fc.array(action, { maxLength: 30, size: "max" }), check), ofProperty(4000, 40));
});
