/** Files that the annotations of another one lead to, and a record of them: what is made of a file depends on them, too. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** A file that was asked for, and what it held. */
export interface FileRead {
  readonly path: string;
  /** SHA-256 of the text; null where there was no such file. */
  readonly digest: string | null;
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

const digestOf = (text: string | undefined): string | null =>
  text === undefined ? null : createHash("sha256").update(text).digest("hex");

/** Whether every file holds what it held. */
export const unchanged = (reads: readonly FileRead[]): boolean =>
  reads.every(({ path, digest }) => digestOf(textOf(path)) === digest);

/** What a relative import may mean, best first: the ending of TypeScript in the place of JavaScript's, or one that was left out. */
function candidates(path: string): readonly string[] {
  const [, stem = path, ending] = /^(.*)\.([cm]?jsx?)$/.exec(path) ?? [];
  if (ending === undefined) {
    if (/\.[cm]?tsx?$/.test(path)) return [path];
    return [...["ts", "tsx", "mts", "d.ts"].map((end) => `${path}.${end}`), `${path}/index.ts`];
  }
  const typescript = ending.startsWith("m")
    ? ["mts", "d.mts"]
    : ending.startsWith("c")
      ? ["cts", "d.cts"]
      : ["ts", "tsx", "d.ts"];
  return [...typescript.map((end) => `${stem}.${end}`), path];
}

export class OtherFiles {
  readonly #texts = new Map<string, string | undefined>();

  /** The file that a relative import means, with its text. */
  find(specifier: string, from: string): { readonly path: string; readonly text: string } | undefined {
    for (const path of candidates(resolve(dirname(from), specifier))) {
      const text = this.#read(path);
      if (text !== undefined) return { path, text };
    }
    return undefined;
  }

  #read(path: string): string | undefined {
    if (!this.#texts.has(path)) this.#texts.set(path, textOf(path));
    return this.#texts.get(path);
  }

  get reads(): readonly FileRead[] {
    return [...this.#texts].map(([path, text]) => ({ path, digest: digestOf(text) }));
  }
}
