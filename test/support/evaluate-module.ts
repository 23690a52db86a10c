/** Modules that are evaluated here, from what the transform makes of them: one of hundreds takes less so than through a bundler. */
import { SourceMap, type SourceMapPayload } from "node:module";
import { Script } from "node:vm";
import type { Transformed } from "../../src/transform/index.ts";

/** The maps of what was evaluated, by the names of the files. */
const maps = new Map<string, SourceMap>();

/** A frame of a stack: of a path that begins at a root, all counts. */
const frame = /^(\s*at (?:async )?(?:.*? \()?)(\/.*|[^\s()]+):(\d+):(\d+)(?=\)?$)/gm;

/** Where the author wrote what stands at a place. */
function written(whole: string, before: string, file: string, line: string, column: string): string {
  const entry = maps.get(file)?.findEntry(Number(line) - 1, Number(column) - 1);
  if (!entry || !("originalLine" in entry)) return whole;
  return `${before}${file}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
}

let mapsStacks = false;

/** Stacks name the author's lines, as they do where a bundler has loaded a file. */
function mapStacks(): void {
  if (mapsStacks) return;
  mapsStacks = true;
  const { prepareStackTrace } = Error;
  Error.prepareStackTrace = (error, frames) =>
    String(prepareStackTrace?.(error, frames) ?? `${error}\n${frames.map((f) => `    at ${f}`).join("\n")}`).replace(
      frame,
      written,
    );
}

/** At the beginning of a line, or behind another one on it. */
const imported = /(?<=^ ?|; )import (?:\{([^}]*)\} from )?"([^"]+)";/gm;
const exported = /(?<=^ ?|; )export (?=(?:const|class|function\*?|async function) (\w+))/gm;

/** Evaluates a module that imports by names and exports what it declares; `load` gives the modules that it imports. */
export async function evaluateModule(
  { code, map }: Transformed,
  fileName: string,
  load: (name: string) => object | Promise<object>,
): Promise<Readonly<Record<string, unknown>>> {
  const modules: Record<string, object> = {};
  for (const [, , name = ""] of code.matchAll(imported)) modules[name] = await load(name);
  const names = [...code.matchAll(exported)].map(([, name]) => name);
  // Columns stay what they are.
  const body = code
    .replace(imported, (_, names: string | undefined, name: string) =>
      names === undefined ? "" : `const {${names.replace(/\bas\b/g, ":")}} = $modules["${name}"];`,
    )
    .replace(/(?<=^ ?|; )export \{\s*\};?/gm, "")
    .replace(exported, "       ");
  if (map !== undefined) {
    mapStacks();
    maps.set(fileName, new SourceMap(JSON.parse(map) as SourceMapPayload));
  }
  const before = `(async ($modules) => { "use strict"; `;
  const script = new Script(`${before}${body}\nreturn { ${names.join(", ")} }; })`, {
    filename: fileName,
    columnOffset: -before.length,
  });
  return await (script.runInThisContext() as (modules: object) => Promise<Record<string, unknown>>)(modules);
}
