import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "node:util";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { extent, rotating } from "../support/amount.ts";
import { otherPictures, recordedPictures } from "./other-pictures.ts";
import { runSnippet, written } from "./run-snippet.ts";
import { modulesOf, problemsOf, type Snippet, snippetsOf } from "./snippets.ts";

const root = join(import.meta.dirname, "../..");
const docs = join(root, "docs");
const pagesIn = (folder: string): string[] =>
  readdirSync(join(root, folder)).flatMap((file) => (file.endsWith(".md") ? [`${folder}/${file}`] : []));
const pages = ["README.md", ...["docs", "docs/language"].flatMap(pagesIn)];
// docs/api repeats declarations, which no reader would run; its examples run.
const examples = pagesIn("docs/api")
  .flatMap(snippetsOf)
  .filter(({ runs }) => runs);
const snippets = [...pages.flatMap(snippetsOf), ...examples];
const modules = modulesOf(snippets);

// .ci/run checks them each time.
it.skipIf(extent === "quick")("TypeScript in the documents type-checks", () => {
  expect(snippets.length).toBeGreaterThan(10);
  expect(problemsOf(modules)).toEqual([]);
});

it("thirty names of the API have an example", () => expect(examples.length).toBeGreaterThanOrEqual(30));

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

type Named = Snippet & { readonly module: string };
const where = (wanted: (snippet: Snippet) => boolean): Named[] =>
  [...modules].filter(([snippet]) => wanted(snippet)).map(([snippet, text]) => ({ ...snippet, module: text }));

const codeOf = ({ shown }: Snippet): string => shown.replace(/ *\/\/.*$/gm, "").trim();

/** One that a later one of the page runs again: it goes on where this one ends, or says the same. */
const runsAgain = (snippet: Snippet): boolean =>
  snippets.some(
    (later) =>
      later.runs &&
      later.page === snippet.page &&
      later.line > snippet.line &&
      (later.text.startsWith(`${snippet.text}\n`) || codeOf(later) === codeOf(snippet)),
  );

/** Kernels of seconds, and a search among kernels: tests of their own ask them. */
const slow = /\b(?:attention|attentionVarlen|attentionDecode|sort|topK|sample|tune)\(/;
/** A line of the table of CUDA's counterparts: what it says is an op, and ops have cases. */
const isCounterpart = ({ page, shown }: Snippet): boolean => page === "docs/cuda.md" && !shown.includes("\n");
/** Of what a page runs, `npm test` asks every eighth one, the first among them, and what draws a picture. */
const isLeftToRotation = (snippet: Snippet): boolean =>
  snippet.page !== "README.md" &&
  !snippet.text.includes(".svg") &&
  snippets.filter(({ page, runs }) => runs && page === snippet.page).indexOf(snippet) % 8 !== 0;
const inTurns = (snippet: Snippet): boolean =>
  runsAgain(snippet) || slow.test(snippet.shown) || isCounterpart(snippet) || isLeftToRotation(snippet);

// Where a snippet opens a device without saying which.
beforeEach(() => void vi.stubEnv("WARPSMITH_DEVICE", "emulator"));
afterEach(() => void vi.unstubAllEnvs());

/** Pictures of the pages are what their own code draws. With UPDATE=1 they are drawn anew. */
const pictures = join(docs, "pictures");
const drawn = new Set<string>();
function checkPictures(): void {
  for (const [name, svg] of written) {
    if (!name.endsWith(".svg")) continue;
    drawn.add(name);
    const file = join(pictures, name);
    if (process.env.UPDATE) writeFileSync(file, svg);
    expect(existsSync(file) ? readFileSync(file, "utf8") : "", `docs/pictures/${name}: run with UPDATE=1`).toBe(svg);
  }
}

async function check({ module, name, prints }: Named): Promise<void> {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  written.clear();
  try {
    await runSnippet(module, name);
    checkPictures();
    if (prints.length > 0) expect(log.mock.calls.map((values) => format(...values))).toEqual(prints);
  } finally {
    log.mockRestore();
  }
}

describe("runs on the emulator, and prints what it says that it prints", () => {
  it.each(where((snippet) => snippet.runs && !inTurns(snippet)))("$name  $shown", check);
  it.each(where((snippet) => snippet.runs && inTurns(snippet)))("$name  $shown", rotating, check);
});

describe("is refused with the error that it is an example of", () => {
  it.each(where(({ refused }) => refused !== undefined))("$name  $refused", async ({ module, name, refused }) => {
    await expect(runSnippet(module, name)).rejects.toMatchObject({ code: refused });
  });
});

it("every picture in docs/pictures is drawn by a page and shown on one", () => {
  const files = readdirSync(pictures);
  expect(files.toSorted()).toEqual([...drawn, ...otherPictures, ...recordedPictures].toSorted());
  const text = pages.map((page) => readFileSync(join(root, page), "utf8")).join("\n");
  expect(files.filter((file) => !text.includes(`pictures/${file})`))).toEqual([]);
});
