import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { passesPage } from "./passes-page.ts";

const page = join(import.meta.dirname, "../../docs/passes.md");

test("docs/passes.md is what src/passes says", () => {
  const text = passesPage();
  if (process.env.UPDATE === "1") writeFileSync(page, text);
  expect(readFileSync(page, "utf8")).toBe(text);
});
