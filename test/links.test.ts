import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "..");
const pagesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: folder !== ".", encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => join(folder, file));
const pages = [".", "docs", "examples", "bench", "test"].flatMap(pagesIn);

it.each(pages)("every link of %s leads to a file", (page) => {
  const targets = [...readFileSync(join(root, page), "utf8").matchAll(/\]\(([^)#\s]+)/g)].map(([, target = ""]) => target);
  const own = targets.filter((target) => !/^[a-z]+:/.test(target));
  expect(own.filter((target) => !existsSync(join(root, dirname(page), target)))).toEqual([]);
});
