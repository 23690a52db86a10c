import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { irReference } from "../../../src/ir/doc.ts";
import { opNames } from "../../../src/ir/index.ts";

const page = join(import.meta.dirname, "../../../docs/ir.md");
const text = irReference();

test("docs/ir.md is what the op table says", () => {
  if (process.env.UPDATE === "1") writeFileSync(page, text);
  expect(readFileSync(page, "utf8")).toBe(text);
});

test.each(opNames)("has %s", (name) => {
  expect(text).toContain(`\n### \`${name}\`\n`);
});
