import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

/** What a beginner gets wrong, each a case in `beginner/` with its number. */
const mistakes = [
  "forgotten await",
  "wrong dtype",
  "wrong length",
  "missing wait",
  "missing fence",
  "missing init sync",
  "off by one in global",
  "off by one in shared",
  "math random",
  "staged index into an array",
  "push in a loop",
  "barrier under if",
  "barrier in some warps",
  "pipeline never released",
  "shared memory too big",
  "swizzle mismatch",
  "box of 512",
  "bare number",
  "outer let",
  "wrong parity",
  "integer division",
  "mixed types",
  "product not kept",
  "early read",
  "wrong bytes",
  "coordinates swapped",
  "row for a column",
  "compares places",
  "stores a place",
  "parity that never changes",
  "return before a sum",
  "assigns a constant",
  "prints a place",
  "too few at a named barrier",
  "too many at a named barrier",
  "indices swapped",
];

const folder = join(import.meta.dirname, "beginner");

it("has a case for each of the 36 mistakes of a beginner", () => {
  expect(mistakes).toHaveLength(36);
  const names = mistakes.map((name, i) => `${String(i + 1).padStart(2, "0")}-${name.replaceAll(" ", "-")}`);
  const found = readdirSync(folder).filter((file) => file.endsWith(".case.ts"));
  expect(found.map((file) => file.replace(".case.ts", "")).sort()).toEqual(names);
});

it.each(readdirSync(join(folder, "expected")))("%s shows the line and what to write instead", (file) => {
  const message = readFileSync(join(folder, "expected", file), "utf8").trimEnd();
  expect(message).toMatch(/^W\d{4} {2}[A-Z`a-z]/);
  expect(message).toMatch(/beginner\/[\w-]+\.case\.ts:\d+:\d+\n.*\n.*\^/);
  const fix = /\n {2}fix: (.*)$/.exec(message)?.[1] ?? "";
  expect(fix, "a fix that one can paste has code, or names what there is").toMatch(/`[^`]+`|\w+\(|\d/);
});
