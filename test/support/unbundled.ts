/**
 * For vitest.config.ts: `src` as Node runs it, file by file, in `.unbundled` beside it. Node loads these itself, in each process; through Vite each of
 * the 1,300 files costs the main process a transform, and each process a round trip. Types are blanked out, so a stack that names
 * `.unbundled/passes/dce.js:41:7` means `src/passes/dce.ts:41:7`.
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { transformSync } from "amaro";
import { transformSource } from "../../src/transform/index.ts";
import { mayHoldKernels } from "../../src/transform/options.ts";

const root = join(import.meta.dirname, "../..");
const src = join(root, "src");
const unbundled = join(root, ".unbundled");

const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
};

/** What the package's own names mean: `warpsmith/hooks` is `dsl/hooks.js`. */
export const entries: ReadonlyMap<string, string> = new Map(
  Object.entries(exports).flatMap(([name, entry]) =>
    typeof entry === "string" ? [] : [[`warpsmith${name.slice(1)}`, entry.default.replace("./dist/", "")] as const],
  ),
);

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));

const written = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

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

/** What Node 20 does not know. */
const newer = /\busing \w+ = /;

/** The transform that users have, for the package's own kernels and for newer syntax; else types are blanked out. */
function compiled(file: string): string {
  const text = readFileSync(join(src, file), "utf8");
  if (mayHoldKernels(text, ["warpsmith"]) || newer.test(text)) {
    const { code, transformed } = transformSource(text, { fileName: join(src, file), displayName: `src/${file}` });
    if (transformed || newer.test(text)) return code;
  }
  return transformSync(text, { mode: "strip-only", filename: file }).code;
}

/** Brings `.unbundled` up to what `src` is: only files that have changed since are made anew. */
export function compileSources(): void {
  const makers = [import.meta.filename, ...filesIn(join(src, "transform")).map((file) => join(src, "transform", file))];
  const changed = Math.max(...makers.map(written));
  const sources = filesIn(src);
  const outOf = (file: string): string => join(unbundled, file.replace(/\.ts$/, ".js"));
  for (const file of sources) {
    const out = outOf(file);
    if (written(out) > Math.max(written(join(src, file)), changed)) continue;
    mkdirSync(dirname(out), { recursive: true });
    if (file.endsWith(".ts")) writeFileSync(out, withImports(compiled(file), file));
    else copyFileSync(join(src, file), out);
  }
  const expected = new Set(sources.map(outOf));
  for (const file of filesIn(unbundled)) if (!expected.has(join(unbundled, file))) rmSync(join(unbundled, file));
}
