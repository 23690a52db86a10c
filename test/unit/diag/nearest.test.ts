import { expect, it } from "vitest";
import { likely } from "../../../src/diag/index.ts";

it.each([
  ["shpe", ["shape", "strides", "rank"], "shape"],
  ["shuffleXor", ["shuffle", "ballot", "lane"], "shuffle"],
  ["logarithm", ["log", "log10", "sqrt"], "log"],
  ["squareRoot", ["sqrt", "sin"], undefined],
  ["foo", ["shape", "strides"], undefined],
])("%s of %j: %s", (name, words, meant) => {
  expect(likely(name, words)).toBe(meant);
});
