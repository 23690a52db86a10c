import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffLines, type Edit } from "../../../../src/inspect/stages/diff-lines.ts";
import { ofProperty, rotating } from "../../../support/amount.ts";

const lines = (text: string): readonly string[] => (text === "" ? [] : text.split(" "));
const show = (edits: readonly Edit[]): string =>
  edits.map(({ kind, count }) => `${{ keep: "", remove: "-", add: "+" }[kind]}${count}`).join(" ");

/** What the edits make of the first list; what they take for kept or removed must be there. */
function apply(edits: readonly Edit[], before: readonly string[], after: readonly string[]): readonly string[] {
  const made: string[] = [];
  let i = 0;
  for (const { kind, count } of edits) {
    if (kind === "add") made.push(...after.slice(made.length, made.length + count));
    else if (kind === "keep") made.push(...before.slice(i, i + count));
    if (kind !== "add") i += count;
  }
  expect(i).toBe(before.length);
  return made;
}

describe("what differs between two lists of lines", () => {
  it.each([
    ["", "", ""],
    ["a b c", "a b c", "3"],
    ["", "a b", "+2"],
    ["a b", "", "-2"],
    ["a b c", "a x c", "1 -1 +1 1"],
    ["a b c d", "b c d e", "-1 3 +1"],
    // A line that moves leaves the others where they are.
    ["a b c d e", "b c d a e", "-1 3 +1 1"],
    // Lines that stand more than once, between anchors and without any.
    ["{ x } { y }", "{ x } { z } { y }", "4 +3 2"],
    ["a a b b", "a b b b", "1 -1 +1 2"],
    ["x a a x", "a x x a", "-1 1 -1 1 +2"],
  ])("%j and %j: %j", (before, after, edits) => {
    expect(show(diffLines(lines(before), lines(after)))).toBe(edits);
  });

  const texts = fc.array(fc.constantFrom(..."abcdefghij"), { maxLength: 40, size: "max" });

  it("makes the second of the first, with no two edits of one kind in a row", () => {
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const edits = diffLines(before, after);
        expect(apply(edits, before, after)).toEqual(after);
        expect(edits.every(({ kind, count }, i) => count > 0 && kind !== edits[i - 1]?.kind)).toBe(true);
      }),
      ofProperty(5000, 100),
    );
  });

  it("keeps all that a list and a part of it have in common", () => {
    fc.assert(
      fc.property(texts, fc.array(fc.boolean()), (all, taken) => {
        const part = all.filter((_, i) => taken[i]);
        const removed = diffLines(all, part).flatMap(({ kind, count }) => (kind === "remove" ? [count] : []));
        const added = diffLines(part, all).flatMap(({ kind, count }) => (kind === "add" ? [count] : []));
        const sum = (counts: readonly number[]) => counts.reduce((a, b) => a + b, 0);
        expect([sum(removed), sum(added)]).toEqual([all.length - part.length, all.length - part.length]);
      }),
      ofProperty(2000, 50),
    );
  });

  it("takes long lists, also those in which no line is unique", rotating, () => {
    const many = Array.from({ length: 100_000 }, (_, i) => `%${i} = add`);
    const odd = many.filter((_, i) => i % 2 === 1);
    expect(apply(diffLines(many, odd), many, odd)).toEqual(odd);
    const [same, other] = [many.map((_, i) => `${i % 2}`), many.map((_, i) => `${i % 3}`)];
    expect(apply(diffLines(same, other), same, other)).toEqual(other);
  });
});
