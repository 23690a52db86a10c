/**
 * For vitest.config.ts: `src` as Node runs it, file by file, in `.unbundled` beside it. Node loads these itself, in each process; through Vite each of
 * the 1,300 files costs the main process a transform, and each process a round trip. Types are blanked out, so a stack that names
 * `.unbundled/passes/dce.js:41:7` means `src/passes/dce.ts:41:7`.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { transformSource } from "../../src/transform/index.ts";
import { mayHoldKernels } from "../../src/transform/options.ts";
import { compileFile, entries } from "./compile-file.mjs";

const root = join(import.meta.dirname, "../..");
const src = join(root, "src");
const unbundled = join(root, ".unbundled");
/** What each file of `.unbundled` was made from. */
const madeFrom = join(unbundled, "made-from.json");

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));

/** Statements at the beginning of a line, and `await import(…)`: a text that holds an import is left as it is. */
const imported = /(^(?:(?:import|export)\b[^"'`\n]*\bfrom\s*|\}\s*from\s*|import\s*)|\bimport\s*\(\s*)(["'])([^"'\n]+)\2/gm;

/** Imports name what is built, and the package's own names are its files: two instances of one module would not know each other. */
function withImports(code: string, file: string): string {
  const near = (path: string): string => {
    const there = relative(dirname(file), path).replaceAll("\\", "/");
    return there.startsWith(".") ? there : `./${there}`;
  };
  const name = (path: string): string => {
    const entry = entries.get(path);
    if (entry !== undefined) return near(entry);
    return path.startsWith(".") ? path.replace(/\.ts$/, ".js") : path;
  };
  return code.replace(imported, (_, before: string, quote: string, path: string) => `${before}${quote}${name(path)}${quote}`);
}

async function compiled(file: string, text: string): Promise<string> {
  const names = { fileName: join(src, file), displayName: `src/${file}` };
  return withImports(await compileFile(text, names, { mayHoldKernels, transform: transformSource }), file);
}

const digest = (...texts: readonly (string | Buffer)[]): string => {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(text).update("\0");
  return hash.digest("base64url");
};

/** What decides how a file is compiled, besides its text. */
function makers(): string {
  const support = ["unbundled.ts", "compile-file.mjs"].map((file) => join(import.meta.dirname, file));
  const transform = filesIn(join(src, "transform")).map((file) => join(src, "transform", file));
  const packages = ["package.json", "package-lock.json"].map((file) => join(root, file));
  return digest(...[...support, ...transform.sort(), ...packages].map((file) => readFileSync(file)));
}

function readMadeFrom(): Readonly<Record<string, string>> {
  try {
    return JSON.parse(readFileSync(madeFrom, "utf8")) as Readonly<Record<string, string>>;
  } catch {
    return {};
  }
}

/** Whole or not at all: another run of tests may be reading it. */
function write(file: string, text: string | Buffer): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, text);
  renameSync(`${file}.${process.pid}`, file);
}

/** Brings `.unbundled` up to what `src` is: what has been made from the same text stays. */
export async function compileSources(): Promise<void> {
  const [by, before] = [makers(), readMadeFrom()];
  const after: Record<string, string> = {};
  for (const file of filesIn(src)) {
    const [out, source] = [file.replace(/\.ts$/, ".js"), readFileSync(join(src, file))];
    const from = digest(by, source);
    after[out] = from;
    if (before[out] === from && existsSync(join(unbundled, out))) continue;
    write(join(unbundled, out), file.endsWith(".ts") ? await compiled(file, source.toString("utf8")) : source);
  }
  for (const out of Object.keys(before)) if (!(out in after)) rmSync(join(unbundled, out), { force: true });
  write(madeFrom, JSON.stringify(after));
}
