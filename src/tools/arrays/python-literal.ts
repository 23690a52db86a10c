import { broken } from "./array-file.ts";

/** A value as Python writes it: what the header of a .npy file is made of. A tuple is a list here. */
export type PythonValue = string | number | boolean | null | readonly PythonValue[] | ReadonlyMap<PythonValue, PythonValue>;

/** Deeper than any header goes. */
const deepest = 16;
const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\\": "\\", "'": "'", '"': '"' };

/** Reads one value, with nothing but white space behind it. */
export function parsePython(text: string): PythonValue {
  const reader = new Reader(text);
  const value = reader.value(0);
  if (!reader.atEnd()) broken("its header goes on behind the dictionary");
  return value;
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  atEnd(): boolean {
    this.#skip();
    return this.#at >= this.#text.length;
  }

  value(depth: number): PythonValue {
    if (depth > deepest) broken("its header nests too deeply");
    this.#skip();
    const first = this.#text[this.#at];
    if (first === "'" || first === '"') return this.#string(first);
    if (first === "(" || first === "[") return this.#list(first === "(" ? ")" : "]", depth);
    if (first === "{") return this.#dictionary(depth);
    return this.#word();
  }

  #skip(): void {
    while (/\s/.test(this.#text[this.#at] ?? "")) this.#at++;
  }

  /** Whether that comes next; it is then behind. */
  #takes(token: string): boolean {
    this.#skip();
    if (this.#text[this.#at] !== token) return false;
    this.#at++;
    return true;
  }

  #string(quote: string): string {
    let value = "";
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const c = this.#text[this.#at] ?? "";
      if (c === quote) {
        this.#at++;
        return value;
      }
      if (c !== "\\") {
        value += c;
        continue;
      }
      const escaped = escapes[this.#text[++this.#at] ?? ""];
      value += escaped ?? broken("its header has an escape that is not known");
    }
    return broken("its header ends in a text");
  }

  #list(end: string, depth: number): readonly PythonValue[] {
    this.#at++;
    const values: PythonValue[] = [];
    while (!this.#takes(end)) {
      values.push(this.value(depth + 1));
      if (!this.#takes(",")) {
        // One value in brackets without a comma is the value itself.
        if (!this.#takes(end)) broken("its header has a list that does not end");
        if (end === ")" && values.length === 1) broken("its header has a number in brackets where a tuple belongs");
        break;
      }
    }
    return values;
  }

  #dictionary(depth: number): ReadonlyMap<PythonValue, PythonValue> {
    this.#at++;
    const found = new Map<PythonValue, PythonValue>();
    while (!this.#takes("}")) {
      const key = this.value(depth + 1);
      if (found.has(key)) broken(`its header says ${String(key)} twice`);
      if (!this.#takes(":")) broken("its header is no dictionary");
      found.set(key, this.value(depth + 1));
      if (this.#takes(",")) continue;
      if (!this.#takes("}")) broken("its header has a dictionary that does not end");
      break;
    }
    return found;
  }

  #word(): PythonValue {
    const [word = ""] = /^[-\w]+/.exec(this.#text.slice(this.#at, this.#at + 40)) ?? [];
    this.#at += word.length;
    if (word === "True" || word === "False") return word === "True";
    if (word === "None") return null;
    // Python 2 wrote an L behind long numbers.
    const digits = /^(-?\d+)L?$/.exec(word)?.[1];
    return digits === undefined ? broken("its header is not what Python writes") : Number(digits);
  }
}
