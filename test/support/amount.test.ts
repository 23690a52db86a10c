import { describe, expect, it } from "vitest";
import { takenBy } from "./amount.ts";

const all = Array.from({ length: 20 }, (_, i) => i);
const sixths = [0, 1, 2, 3, 4, 5].map((turn) => takenBy("sixth", () => [turn]));

describe("how much a run takes", () => {
  it("each thing once", () => {
    const { some, amount, seeds } = takenBy("quick", () => [3]);
    expect(some(all, 2)).toEqual([0, 10]);
    expect(some(all, 30)).toEqual(all);
    expect(amount(240, 5)).toBe(5);
    expect(seeds(1, 48, 2)).toEqual([1, 2]);
  });

  it("of six sixths, together all, and in each what npm test takes", () => {
    for (const { some } of sixths) expect(some(all, 2)).toEqual(expect.arrayContaining([0, 10]));
    expect([...new Set(sixths.flatMap(({ some }) => some(all, 2)))].toSorted((a, b) => a - b)).toEqual(all);
    expect(sixths.map(({ amount }) => amount(240, 5))).toEqual([10, 10, 10, 10, 10, 10]);
    expect(new Set(sixths.flatMap(({ seeds }) => seeds(1, 48, 2))).size).toBe(12);
  });

  it("all of a list whose tests rotate", () => {
    expect(
      takenBy(
        "sixth",
        () => [1],
        () => true,
      ).some(all, 2),
    ).toEqual(all);
  });

  it("what has failed lately, too", () => {
    expect(takenBy("sixth", () => [1, 4]).some(all, 2)).toEqual([0, 1, 4, 7, 10, 13, 16, 19]);
  });

  it("all at night, and of what is random a quarter", () => {
    const [night, thorough] = (["all", "thorough"] as const).map((extent) => takenBy(extent, () => [0]));
    expect(night?.some(all, 2)).toEqual(all);
    expect(thorough?.some(all, 2)).toEqual(all);
    expect(night?.amount(240, 5)).toBe(60);
    expect(thorough?.amount(240, 5)).toBe(240);
  });
});
