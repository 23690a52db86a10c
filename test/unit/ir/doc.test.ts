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

test("has every op", () => {
  expect(opNames.filter((name) => !text.includes(`\n### \`${name}\`\n`))).toEqual([]);
});

test("shows views, tiles and operands as they are printed", () => {
  const shown = [...text.matchAll(/(view|tile|operand)<"([^"…]+)">(?=`)/g)];
  const printed = shown.map(([, kind = "", type = ""]) => {
    const read = readAggregate(kind, type);
    return read && aggregateName(read);
  });
  expect(shown.length).toBeGreaterThan(3);
  expect(printed).toEqual(shown.map(([whole]) => whole));
});
