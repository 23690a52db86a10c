import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { firstFailing, minimise } from "../../../../src/tools/cli/find-failure.ts";
import { ofProperty } from "../../../support/amount.ts";

const numbers = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

describe("minimise", () => {
  it("leaves the items that a failure needs, in their order", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat(199), { maxLength: 6 }), async (needed) => {
        const fails = async (some: readonly number[]) => needed.every((n) => some.includes(n));
        expect(await minimise(numbers(200), fails, 10_000)).toEqual(needed.toSorted((a, b) => a - b));
      }),
      ofProperty(50, 50),
    );
  });

  it("leaves nothing that could be left out by itself, where causes take each other's place", async () => {
    const fails = async (some: readonly number[]) => some.filter((n) => n % 7 === 0).length >= 3 || some.includes(150);
    const left = await minimise(numbers(200), fails, 10_000);
    expect(await fails(left)).toBe(true);
    for (const one of left) expect(await fails(left.filter((n) => n !== one))).toBe(false);
  });

  it("asks few times, and not more often than it may", async () => {
    let asked = 0;
    const fails = async (some: readonly number[]) => {
      asked += 1;
      return some.includes(900);
    };
    expect(await minimise(numbers(1000), fails, 1000)).toEqual([900]);
    expect(asked).toBeLessThan(80);
    asked = 0;
    const some = await minimise(numbers(1000), fails, 10);
    expect(asked).toBe(10);
    expect(some).toContain(900);
  });
});

describe("firstFailing", () => {
  /** What fails, and how long each item takes. */
  const run =
    (failing: readonly number[], took: (i: number) => number, log: string[]) => async (i: number, givenUp: AbortSignal) => {
      log.push(`begins ${i}`);
      await new Promise((resolve) => setTimeout(resolve, took(i)));
      log.push(givenUp.aborted ? `given up ${i}` : `ends ${i}`);
      return failing.includes(i) ? `failure ${i}` : undefined;
    };

  it("gives the first in order, however fast a later one fails", async () => {
    const log: string[] = [];
    const found = await firstFailing(
      numbers(8),
      4,
      run([1, 3], (i) => (i === 1 ? 30 : 5), log),
    );
    expect(found).toEqual({ index: 1, failure: "failure 1" });
    expect(log).toContain("ends 0");
    expect(log).not.toContain("begins 7");
  });

  it("gives up what runs behind a failure", async () => {
    const log: string[] = [];
    const found = await firstFailing(
      numbers(4),
      4,
      run([0], (i) => 5 + 20 * i, log),
    );
    expect(found?.index).toBe(0);
    expect(log).toContain("given up 3");
  });

  it("runs all where none fails, so many at a time", async () => {
    let [now, most] = [0, 0];
    const found = await firstFailing(numbers(9), 3, async () => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setTimeout(resolve, 2));
      now -= 1;
      return undefined;
    });
    expect([found, most]).toEqual([undefined, 3]);
  });
});
