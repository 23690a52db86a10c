import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runSnippet } from "./run-snippet.ts";
import { checkSnippets, snippetsOf } from "./snippets.ts";

const docs = join(import.meta.dirname, "../../docs");
// docs/api repeats declarations; no reader would run them.
const pages = ["README.md", ...readdirSync(docs).flatMap((file) => (file.endsWith(".md") ? [`docs/${file}`] : []))];
const snippets = pages.flatMap(snippetsOf);
const { modules, problems } = checkSnippets(snippets);

it("TypeScript in the documents type-checks", () => {
  expect(snippets.length).toBeGreaterThan(10);
  expect(problems).toEqual([]);
});

it("every line of docs/cuda.md has its counterpart in code, or says that there is none", () => {
  const rows = readFileSync(join(docs, "cuda.md"), "utf8")
    .split("\n")
    .filter((line) => /^\| (?!CUDA)/.test(line));
  const checked = new Set(snippets.filter(({ page }) => page === "docs/cuda.md").map(({ shown }) => shown));
  const second = (row: string): string =>
    row
      .split(/(?<!\\)\|/)[2]
      ?.trim()
      .replaceAll("\\|", "|") ?? "";
  expect(rows.length).toBeGreaterThan(100);
  expect(rows.filter((row) => second(row) !== "—" && !checked.has(second(row).slice(1, -1)))).toEqual([]);
});

describe("runs on the emulator", () => {
  it.each([...modules].filter(([{ runs }]) => runs).map(([snippet, text]) => ({ ...snippet, module: text })))(
    "$name  $shown",
    ({ module, name }) => runSnippet(module, name),
  );
});
