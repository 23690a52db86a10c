/**
 * For vitest.config.ts: `src` as Node runs it, file by file, in `.unbundled` beside it. Node loads these itself, in each process; through Vite each of
 * the 1,300 files costs the main process a transform, and each process a round trip. Types are blanked out, so a stack that names
 * `.unbundled/passes/dce.js:41:7` means `src/passes/dce.ts:41:7`.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { transformSource } from "../../src/transform/index.ts";
import { mayHoldKernels } from "../../src/transform/options.ts";
import { type FileRead, unchanged } from "../../src/transform/other-files.ts";
import { type Compiled, compileFile, emitFirst, entries } from "./compile-file.mjs";

const root = join(import.meta.dirname, "../..");
const src = join(root, "src");
const unbundled = join(root, ".unbundled");
/** What each file of `.unbundled` was made from. */
const madeFrom = join(unbundled, "made-from.json");
/** What node-hooks.mjs keeps of what lies beside `src`, by what compiles it. */
const cache = join(root, ".unbundled-cache");

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));

/** Another run may be renaming a file there while the folder is read. */
function builtFiles(): readonly string[] {
  for (let i = 0; i < 20; i++)
    try {
      return filesIn(unbundled);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  return [];
}

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

async function compiled(file: string, text: string): Promise<Compiled> {
  const names = { fileName: join(src, file), displayName: `src/${file}` };
  const { code, reads } = await compileFile(text, names, { mayHoldKernels, transform: transformSource });
  return { code: withImports(code, file), reads };
}

const digest = (...texts: readonly (string | Buffer)[]): string => {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(text).update("\0");
  return hash.digest("hex");
};

/** What decides how a file is compiled, besides its text: all that the transform is made of, the packages that it stands on, and where the tree lies: what a file reads of others is kept by their paths. */
function makers(): string {
  const support = ["unbundled.ts", "compile-file.mjs"].map((file) => join(import.meta.dirname, file));
  const code = filesIn(src).filter((file) => /^(transform|base)\b/.test(file));
  const packages = ["package.json", "package-lock.json"].map((file) => join(root, file));
  const files = [...support, ...code.sort().map((file) => join(src, file)), ...packages];
  return digest(process.version, root, ...files.map((file) => readFileSync(file)));
}

type Cached = typeof import("../../src/transform/cached.ts");

/** What a file of `.unbundled` was made from, and what was made. */
interface Made {
  readonly from: string;
  readonly reads: readonly FileRead[];
  readonly code: string;
}

interface MadeFrom {
  /** How all were compiled. */
  readonly by: string;
  readonly files: Readonly<Record<string, Made>>;
  /** Digests of what lies beside `src` and has been compiled, too. */
  readonly beside: Readonly<Record<string, string>>;
}

function readMadeFrom(): MadeFrom {
  try {
    const made = JSON.parse(readFileSync(madeFrom, "utf8")) as MadeFrom | null;
    if (made?.files && made.beside) return made;
  } catch {
    // There is none, or not the whole of it.
  }
  return { by: "", files: {}, beside: {} };
}

const digestOf = (file: string): string | undefined => (existsSync(file) ? digest(readFileSync(file)) : undefined);

/** Whole or not at all: another run of tests may be reading it. */
function write(file: string, text: string | Buffer): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, text);
  renameSync(`${file}.${process.pid}`, file);
}

/** Brings `.unbundled` up to what `src` is: what is still what was made, from what is still there, stays. */
export async function compileSources(): Promise<void> {
  const before = readMadeFrom();
  const by = makers();
  const known = before.by === by ? before.files : {};
  const files: Record<string, Made> = {};
  for (const file of filesIn(src)) {
    const [name, source] = [file.replace(/\.ts$/, ".js"), readFileSync(join(src, file))];
    const [out, from, made] = [join(unbundled, name), digest(source), known[name]];
    if (made?.from === from && unchanged(made.reads) && made.code === digestOf(out)) {
      files[name] = made;
      continue;
    }
    const { code, reads } = file.endsWith(".ts") ? await compiled(file, source.toString("utf8")) : { code: source, reads: [] };
    write(out, code);
    files[name] = { from, reads, code: digest(code) };
  }
  // What another run is writing has a number behind its name.
  for (const name of builtFiles())
    if (!(name in files) && join(unbundled, name) !== madeFrom && !/\.\d+$/.test(name))
      rmSync(join(unbundled, name), { force: true });
  for (const other of existsSync(cache) ? readdirSync(cache) : [])
    if (other !== by) rmSync(join(cache, other), { recursive: true, force: true });
  const beside = await compileBeside(by, before.by === by ? before.beside : {});
  write(madeFrom, JSON.stringify({ by, files, beside } satisfies MadeFrom));
}

/** What few runs load is compiled by whoever does. */
const seldomLoaded = /\.case\.ts$|\.long\.test\.ts$|^(?:transform\/golden|package\/project|gpu|tools)\//;

/** What lies beside `src` and holds kernels, here once and not in each process that loads it: TypeScript takes a second to load and to warm up. */
async function compileBeside(by: string, known: MadeFrom["beside"]): Promise<MadeFrom["beside"]> {
  const beside: Record<string, string> = {};
  const { transformCached } = (await import(pathToFileURL(join(unbundled, "transform/cached.js")).href)) as Cached;
  for (const folder of ["test", "examples"])
    for (const file of filesIn(join(root, folder))) {
      const fileName = join(root, folder, file);
      if (!file.endsWith(".ts") || seldomLoaded.test(file)) continue;
      const text = readFileSync(fileName, "utf8");
      if (!mayHoldKernels(text, ["warpsmith"])) continue;
      const displayName = `${folder}/${file}`;
      beside[displayName] = digest(text);
      if (known[displayName] === beside[displayName]) continue;
      // What is wrong with it is said where it is loaded.
      await transformCached(text, { fileName, displayName, emit: emitFirst(text) }, join(cache, by)).catch(() => {});
    }
  return beside;
}
