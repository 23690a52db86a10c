import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { WarpsmithError } from "../../../../src/base/diag/index.ts";
import { parsePtx } from "../../../../src/ptx/parse/index.ts";
import { lex } from "../../../../src/ptx/parse/lex.ts";
import { ofProperty } from "../../../support/amount.ts";

const goldens = join(import.meta.dirname, "../../../goldens");
const texts = ["ch1.ptx", "ch3.ptx"].map((file) => readFileSync(join(goldens, file), "utf8"));
texts.push(readFileSync(join(import.meta.dirname, "machine.ptx"), "utf8"));

/** Tokens with white space before them, so that any order of them is a text. */
function tokensOf(text: string): readonly string[] {
  const t = lex(text);
  return Array.from({ length: t.kinds.indexOf(0) }, (_, i) => text.slice(t.ends[i - 1] ?? 0, t.ends[i]));
}
const modules = texts.map(tokensOf);

/** One token left out, doubled, or replaced by another one of the module. */
const edit = fc.record({
  module: fc.nat(modules.length - 1),
  at: fc.double({ min: 0, max: 0.999, noNaN: true }),
  from: fc.double({ min: 0, max: 0.999, noNaN: true }),
  how: fc.constantFrom("drop", "double", "replace", "cut"),
});

it("text with a mistake is read or refused with its place, never anything else", () => {
  expect(readdirSync(goldens)).toContain("ch1.ptx");
  let refused = 0;
  const asked = ofProperty(600, 30);
  fc.assert(
    fc.property(edit, ({ module, at, from, how }) => {
      const tokens = modules[module]!;
      const i = Math.floor(at * tokens.length);
      const other = tokens[Math.floor(from * tokens.length)]!;
      const middle = how === "drop" ? [] : how === "double" ? [tokens[i]!, tokens[i]!] : [other];
      const text = how === "cut" ? tokens.slice(0, i) : [...tokens.slice(0, i), ...middle, ...tokens.slice(i + 1)];
      try {
        parsePtx(text.join(""), "broken.ptx");
      } catch (error) {
        if (!(error instanceof WarpsmithError)) throw error;
        expect(error.code).toMatch(/^W98/);
        expect(error.spans).toMatchObject([{ file: "broken.ptx" }]);
        refused++;
      }
    }),
    asked,
  );
  expect(refused).toBeGreaterThan(asked.numRuns / 2);
});
