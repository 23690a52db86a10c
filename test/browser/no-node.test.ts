import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";

const src = join(import.meta.dirname, "../../src");
const roots = ["emulator/index.ts", "ptx/parse/index.ts"];

/** Packages that need nothing of Node. */
const packages = new Set(["@petamoriken/float16"]);

/** What runs: no comments, no imports of types. */
const codeOf = (file: string): string =>
  readFileSync(join(src, file), "utf8")
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/^\s*\/\/.*$/gm, "")
    .replace(/^(?:import|export)\s+type\s[^;]*;$/gm, "");

/** What a file imports when it runs: dynamic imports, too. */
const specifiersOf = (code: string): readonly string[] => [
  ...[...code.matchAll(/^(?:import|export)\s(?:[^"';]*\sfrom\s)?\s*["']([^"']+)["']/gm)].map((m) => m[1] ?? ""),
  ...[...code.matchAll(/\bimport\(\s*["']([^"']+)["']/g)].map((m) => m[1] ?? ""),
];

/** All files that the roots reach, each with what leads to it. */
function reached(): ReadonlyMap<string, { readonly code: string; readonly others: readonly string[] }> {
  const found = new Map<string, { code: string; others: readonly string[] }>();
  const visit = (file: string): void => {
    if (found.has(file)) return;
    const code = codeOf(file);
    const all = specifiersOf(code);
    found.set(file, { code, others: all.filter((s) => !s.startsWith(".")) });
    for (const s of all) if (s.startsWith(".")) visit(relative(src, join(src, dirname(file), s)));
  };
  for (const root of roots) visit(root);
  return found;
}

const files = reached();

describe("the emulator and the reader of PTX", () => {
  it("are found with all their imports", () => {
    expect([...files.keys()]).toEqual(
      expect.arrayContaining(["emulator/machine/units/tma.ts", "emulator/program/codegen/index.ts", "ptx/parse/lex.ts"]),
    );
    expect(files.size).toBeGreaterThan(100);
  });

  it("import no module of Node, and no package that may need one", () => {
    const wrong = [...files].flatMap(([file, { others }]) => others.filter((s) => !packages.has(s)).map((s) => `${file}: ${s}`));
    expect(wrong).toEqual([]);
  });

  it("name nothing that only Node has", () => {
    const only = /(?<![.\w"'`-])(process|Buffer|require|__dirname|__filename|setImmediate|clearImmediate)\b(?!["'`:-])/;
    const guarded = /globalThis\.process\?\./g;
    const wrong = [...files].flatMap(([file, { code }]) =>
      code
        .replace(guarded, "")
        .split("\n")
        .filter((line) => only.test(line.replace(/(["'`])(?:\\.|(?!\1).)*\1/g, '""')))
        .map((line) => `${file}: ${line.trim()}`),
    );
    expect(wrong).toEqual([]);
  });
});
