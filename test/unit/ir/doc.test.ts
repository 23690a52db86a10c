import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { irReference } from "../../../src/ir/doc.ts";
import { opNames } from "../../../src/ir/index.ts";
import { aggregateName, readAggregate } from "../../../src/ir/view-types.ts";

const page = join(import.meta.dirname, "../../../docs/ir.md");
const text = irReference();

test("docs/ir.md is what the op table says", () => {
  if (process.env.UPDATE === "1") writeFileSync(page, text);
  expect(readFileSync(page, "utf8")).toBe(text);
});

test.each(opNames)("has %s", (name) => {
  expect(text).toContain(`\n### \`${name}\`\n`);
});

const printed = [...text.matchAll(/`(view|tile|operand)<"([^"…]+)">`/g)].map(([, kind = "", type = ""]) => [kind, type] as const);

test.each(printed)('shows %s<"%s"> as it is printed', (kind, type) => {
  const read = readAggregate(kind, type);
  expect(read && aggregateName(read)).toBe(`${kind}<"${type}">`);
});
