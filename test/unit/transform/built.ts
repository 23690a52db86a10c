import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ts } from "ts-morph";

const root = join(import.meta.dirname, "../../..");

/** What `register` and `plugin` are made of, compiled as the package ships it. */
export interface Built {
  readonly folder: string;
  /** Address of a compiled file, for `--import`. */
  url(file: string): string;
  /** Puts packages in the place of the dependencies, TypeScript among them, that fail when they are loaded. */
  poisonDependencies(): void;
  remove(): void;
}

function compile(from: string, to: string): void {
  const { outputText } = ts.transpileModule(readFileSync(from, "utf8"), {
    fileName: from,
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, rewriteRelativeImportExtensions: true },
  });
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, outputText);
}

export function build(): Built {
  const folder = mkdtempSync(join(tmpdir(), "warpsmith-built-"));
  const src = join(root, "src");
  const wanted = /^(transform|base)\/|^entries\/(register|register-hooks|plugin|shared\/(read-source|errors))\.ts$/;
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).map((file) => file.replaceAll("\\", "/"));
  for (const file of files.filter((f) => f.endsWith(".ts") && wanted.test(f))) {
    compile(join(src, file), join(folder, "dist", file.replace(/\.ts$/, ".js")));
  }
  // `register` loads the package only to have it early; here a stand-in plays its part.
  writeFileSync(join(folder, "dist/index.js"), "");
  cpSync(join(root, "package.json"), join(folder, "package.json"));
  const modules = join(folder, "node_modules");
  symlinkSync(join(root, "node_modules"), modules);
  return {
    folder,
    url: (file) => `file://${join(folder, "dist", file)}`,
    poisonDependencies() {
      rmSync(modules);
      for (const name of ["ts-morph", "@jridgewell/remapping", "unplugin"]) {
        mkdirSync(join(modules, name), { recursive: true });
        writeFileSync(join(modules, name, "package.json"), JSON.stringify({ main: "index.js" }));
        writeFileSync(
          join(modules, name, "index.js"),
          `exports.ts = undefined; throw new Error("a dependency was loaded: ${name}");`,
        );
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Writes a project that uses the package, with hooks that do what plain JavaScript does. */
export function writeProject(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "warpsmith-project-"));
  const all: Record<string, string> = {
    "package.json": "{}",
    "node_modules/warpsmith/package.json": JSON.stringify({
      type: "module",
      exports: { ".": "./index.js", "./hooks": "./hooks.js" },
    }),
    "node_modules/warpsmith/index.js": "export const kernel = (options, body) => body; export const helper = (f) => f;",
    "node_modules/warpsmith/hooks.js": `export const open = (version, info) => ({
      info, fn: (at, meta, f) => f, method: () => (f) => f, bin: (at, op, a, b) => (op === "+" ? a + b : a * b), un: (at, op, a) => a + 1,
      get: (at, o, k) => o[k], test: (at, value) => value, call: (at, f, args) => f(...args), invoke: (at, o, k, args) => o[k](...args), make: (at, C, args) => new C(...args),
      stmt: () => undefined, born: (v) => v, raise: (at, e) => e, if: (at, c, yes, no) => (c ? yes() : no?.()), body: (at, run) => run()?.value,
      ret: (at, value) => ({ value }), template: (at, s, v) => s.map((t, i) => t + (i < v.length ? v[i] : "")).join(""),
    });`,
    ...files,
  };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}
