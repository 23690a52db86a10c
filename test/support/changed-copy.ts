import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

/** A folder whose files are copied with a change, as few of them as lead to it: each copy is transformed anew. */
export class ChangedCopy {
  readonly #source: string;
  readonly #instead: Readonly<Record<string, string>>;
  readonly #texts = new Map<string, string>();
  readonly #found = new Map<string, readonly string[]>();

  /** `instead`: files that copies import in the place of some of the folder's. */
  constructor(source: string, instead: Readonly<Record<string, string>> = {}) {
    this.#source = source;
    this.#instead = instead;
  }

  /** The text of a file of the folder. */
  read(file: string): string {
    const text = this.#texts.get(file) ?? readFileSync(join(this.#source, file), "utf8");
    this.#texts.set(file, text);
    return text;
  }

  #importsOf(file: string): readonly string[] {
    const found = this.read(file).matchAll(/^import (?!type )[^;]* from "(\..*)"/gm);
    return [...found].map(([, path = ""]) => relative(this.#source, resolve(this.#source, dirname(file), path)));
  }

  /** Files of the folder by which `file` leads to `to`: itself, and those of its imports that do. */
  #leading(file: string, to: string): readonly string[] {
    if (file === to) return [file];
    if (file.startsWith("..")) return [];
    const way = `${file} ${to}`;
    const known = this.#found.get(way);
    if (known) return known;
    const found = this.#importsOf(file).flatMap((near) => this.#leading(near, to));
    const all = found.length > 0 ? [...new Set([file, ...found])] : [];
    this.#found.set(way, all);
    return all;
  }

  /**
   * Copies `entry` and what leads from it to `file`, which becomes what `change` makes of it, into an empty folder. They import each other, and all
   * else from where it was. Gives where the entry is.
   */
  write(entry: string, file: string, change: (text: string) => string, into: string): string {
    const copied = this.#leading(entry, file);
    if (copied.length === 0) throw new Error(`${entry} does not lead to ${file}`);
    for (const one of copied) {
      const text = this.read(one);
      const here = (one === file ? change(text) : text).replaceAll(/ from "(\..*)"/g, (_, path: string) => {
        const target = relative(this.#source, resolve(this.#source, dirname(one), path));
        const there = this.#instead[target] ?? join(copied.includes(target) ? into : this.#source, target);
        return ` from ${JSON.stringify(there)}`;
      });
      mkdirSync(dirname(join(into, one)), { recursive: true });
      writeFileSync(join(into, one), here);
    }
    return join(into, entry);
  }
}
