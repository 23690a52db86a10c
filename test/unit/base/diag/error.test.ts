import { runInThisContext } from "node:vm";
import { expect, it } from "vitest";
import { placeOnStack } from "../../../../src/base/diag/index.ts";

/** So many calls that are not the author's, then one of `f`. */
const under = runInThisContext("(function under(n, f) { return n === 0 ? f() : under(n - 1, f); })", {
  filename: "node:under",
}) as <T>(n: number, f: () => T) => T;

it("the author's call is found close by, further up, and not beyond 40 calls", () => {
  const limit = Error.stackTraceLimit;
  for (const n of [0, 5, 7, 8, 20, 37]) {
    const [place] = under(n, placeOnStack);
    expect(place?.file, `${n} calls up`).toMatch(/error\.test\.ts$/);
    expect(place?.line).toBe(13);
  }
  expect(under(60, placeOnStack)).toEqual([]);
  expect(Error.stackTraceLimit).toBe(limit);
});
