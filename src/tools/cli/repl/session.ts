/** What has been typed so far: the names that it left, and what the next entry does with them. */
import { createRequire, isBuiltin } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Script as VmScript } from "node:vm";
import { registerSource, type Span, sourceText, WarpsmithError } from "../../../base/diag/index.ts";
import * as warpsmith from "../../../index.ts";
import { transformSource } from "../../../transform/index.ts";
import { asScript, type Script } from "./as-script.ts";
import { isWellFormed, type Kind, type Read, readEntry, withParentheses } from "./read-entry.ts";

type Values = Record<string, unknown>;
type Run = (names: Values, define: (name: string, value: unknown) => void, own: unknown, load: unknown) => unknown;

/** What entries import at once: this package, as it runs here. */
const packages: Readonly<Record<string, object>> = { warpsmith, "warpsmith/hooks": await import("warpsmith/hooks") };
const isOwn = (specifier: string): boolean => Object.hasOwn(packages, specifier);

/** Files of the author's are found from the working directory on, and loaded as `warpsmith run` does. */
function load(specifier: string): Promise<object> {
  const here = join(process.cwd(), "repl.js");
  if (/^(\.{0,2}\/)/.test(specifier)) return import(pathToFileURL(resolve(specifier)).href);
  const isBare = !specifier.includes(":") && !specifier.startsWith("warpsmith/") && !isBuiltin(specifier);
  return import(isBare ? pathToFileURL(createRequire(here).resolve(specifier)).href : specifier);
}

const scriptName = (number: number): string => `repl-${number}.js`;
const inScript = /repl-(\d+)\.js:(\d+):(\d+)/g;

/** How long the word is that stands there. */
function wordAt(display: string, { line, column }: { readonly line: number; readonly column: number }): number {
  const text = sourceText(display)?.split("\n")[line - 1] ?? "";
  return /^[\w$]+/.exec(text.slice(column - 1))?.[0].length ?? 1;
}

/** One entry that ran, or tried to. */
interface Entry {
  readonly display: string;
  readonly script: Script;
}

export class Session {
  /** Names that nobody assigns, with their values. */
  readonly #constants: Values = {};
  readonly #kinds = new Map<string, Kind>();
  readonly #types = new Map<string, string>();
  readonly #launches = new Map<string, string>();
  readonly #entries = new Map<number, Entry>();
  #count = 0;
  #scripts = 0;

  /** Names of this session. */
  get names(): readonly string[] {
    return [...this.#kinds.keys()];
  }

  /** What a name stands for, in the session, the package or JavaScript. */
  valueOf(name: string): unknown {
    if (this.#kinds.get(name) === "const") return this.#constants[name];
    if (Object.hasOwn(warpsmith, name) && !this.#kinds.has(name)) return (warpsmith as Values)[name];
    return (globalThis as Values)[name];
  }

  /** Arguments of the last launch of that name, as the author wrote them. */
  launched(name: string): string | undefined {
    return this.#launches.get(name);
  }

  define(name: string, value: unknown): void {
    this.#kinds.set(name, "const");
    this.#constants[name] = value;
  }

  /** Runs an entry. Gives its value in a list, which is empty where it has none. `display`: what errors call it. */
  async run(given: string, display = `<repl ${++this.#count}>`): Promise<readonly unknown[]> {
    const number = ++this.#scripts;
    const text = withParentheses(given);
    const read = readEntry(text);
    const known = [...read.mentioned].filter((name) => this.#kinds.has(name) && !read.names.has(name));
    // What is no TypeScript is said of the entry alone.
    if (!isWellFormed(text)) transformSource(text, { fileName: "repl.ts", displayName: display });
    const { code, map } = transformSource(`${read.text}\n;${this.#seen(read, known)}`, {
      fileName: `${process.cwd()}/repl-${number}.ts`,
      displayName: display,
    });
    registerSource(display, text);
    const constantNames = known.filter((name) => this.#kinds.get(name) === "const");
    const script = asScript(code, map, read, constantNames, isOwn);
    this.#entries.set(number, { display, script });
    this.#declare(read);
    try {
      const run = new VmScript(script.code, { filename: scriptName(number) }).runInThisContext() as Run;
      const own = (specifier: string): object | undefined => packages[specifier];
      const values = await run(this.#constants, (name, value) => this.define(name, value), own, load);
      for (const [name, args] of read.launches) this.#launches.set(name, args);
      return values as readonly unknown[];
    } catch (error) {
      throw this.inEntries(error);
    }
  }

  /** What the transform has to know beside the entry: the package's names, those of other entries, and which of them change. */
  #seen(read: Read, known: readonly string[]): string {
    const isNew = (name: string): boolean => !read.names.has(name) && !this.#kinds.has(name);
    const values = [...read.mentioned].filter((name) => Object.hasOwn(warpsmith, name) && isNew(name));
    const types = [...read.mentionedTypes].filter(
      (name) => isNew(name) && !values.includes(name) && !read.types.has(name) && !this.#types.has(name) && !(name in globalThis),
    );
    const imports = [...values, ...types.map((name) => `type ${name}`)];
    const variables = [...known, ...read.names.keys()].filter(
      (name) => (read.names.get(name) ?? this.#kinds.get(name)) === "let",
    );
    const kept = [...this.#types].flatMap(([name, text]) => (read.types.has(name) ? [] : [text]));
    return [
      `import { ${imports.join(", ")} } from "warpsmith";`,
      ...known.map((name) => `declare ${this.#kinds.get(name)} ${name}: any;`),
      ...kept,
      // Another entry may assign them.
      `void [${[...variables.map((name) => `${name} = ${name}`), ...read.imported].join(", ")}];`,
    ].join("\n");
  }

  #declare(read: Read): void {
    for (const [name, kind] of read.names) {
      if (kind === "const") continue;
      this.#kinds.set(name, kind);
      delete this.#constants[name];
      Object.defineProperty(globalThis, name, { value: undefined, writable: true, configurable: true });
    }
    for (const [name, text] of read.types) this.#types.set(name, text);
  }

  /** The error where the author wrote what failed, and not in the script that was made of it. */
  inEntries(error: unknown): unknown {
    if (!(error instanceof Error)) return error;
    if (error instanceof WarpsmithError) {
      const spans = error.spans.map((span): Span => {
        const number = /^repl-(\d+)\.js$/.exec(span.file)?.[1];
        const entry = this.#entries.get(Number(number));
        const place = entry?.script.placeOf(span.line, span.column);
        return entry && place ? { ...span, file: entry.display, ...place, length: wordAt(entry.display, place) } : span;
      });
      return error.at(spans);
    }
    const stack = (error.stack ?? String(error)).split("\n").filter((line) => !/^\s+at .*(node:|\/cli\/repl\/)/.test(line));
    error.stack = stack.join("\n").replace(inScript, (whole, number, line, column) => {
      const entry = this.#entries.get(Number(number));
      const place = entry?.script.placeOf(Number(line), Number(column));
      return entry && place ? `${entry.display}:${place.line}:${place.column}` : whole;
    });
    return error;
  }
}
