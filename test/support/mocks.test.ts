import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const tests = join(import.meta.dirname, "..");

it("no test replaces a module of src: Node loads these, and nothing would be replaced", () => {
  const files = readdirSync(tests, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".test.ts"));
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((file) => /^vi\.(mock|doMock)\(/m.test(readFileSync(join(tests, file), "utf8")))).toEqual([]);
});
