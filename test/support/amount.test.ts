import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { few, takenBy } from "./amount.ts";

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
    for (const { seeds } of sixths) expect(seeds(1, 48, 2).slice(0, 2)).toEqual([1, 2]);
    const night = takenBy("all", () => []).seeds(1, 96, 2);
    const asked = new Set(sixths.flatMap(({ seeds }) => seeds(1, 96, 2)));
    expect(night.filter((seed) => !asked.has(seed))).toEqual([]);
    expect(asked.size).toBeLessThan(night.length + 6);
  });

  it("where the tests of a file rotate, as much as at night", () => {
    const [night, sixth] = (["all", "sixth"] as const).map((extent) =>
      takenBy(
        extent,
        () => [1],
        () => true,
      ),
    );
    expect(sixth?.some(all, 2)).toEqual(all);
    expect(sixth?.amount(240, 5)).toBe(night?.amount(240, 5));
    expect(sixth?.seeds(1, 240, 5)).toEqual(night?.seeds(1, 240, 5));
  });

  it("what has failed lately, too", () => {
    expect(takenBy("sixth", () => [1, 4]).some(all, 2)).toEqual([0, 1, 4, 7, 10, 13, 16, 19]);
  });

  it("seeds in which a file has failed lately, too", () => {
    const [four, one, both] = [[4], [1], [4, 1]].map((turns) => takenBy("sixth", () => turns).seeds(1, 480, 2));
    expect(new Set(both)).toEqual(new Set([...(four ?? []), ...(one ?? [])]));
    expect(new Set(both).size).toBe(both?.length);
  });

  it("the same few in every run", () => {
    expect(few(all, 2)).toEqual([0, 10]);
    expect(few(all, 30)).toEqual(all);
  });

  it("all at night, and of what is random a quarter", () => {
    const [night, thorough] = (["all", "thorough"] as const).map((extent) => takenBy(extent, () => [0]));
    expect(night?.some(all, 2)).toEqual(all);
    expect(thorough?.some(all, 2)).toEqual(all);
    expect(night?.amount(240, 5)).toBe(60);
    expect(thorough?.amount(240, 5)).toBe(240);
  });
});

it("each property takes its runs and its seed from `ofProperty`: what fails fails again", () => {
  const root = join(import.meta.dirname, "..");
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const properties = files
    .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }))
    .filter(({ text }) => /\bfc\.(?:assert|check)\(/.test(text) && !text.includes("each property takes"));
  expect(properties.length).toBeGreaterThan(30);
  expect(
    properties.filter(({ text }) => !text.includes("ofProperty(") || /\{ numRuns/.test(text)).map(({ file }) => file),
  ).toEqual([]);
});
