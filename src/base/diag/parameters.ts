/**
 * The parameters of the package's own functions, read from their text. JavaScript drops arguments that a function has no
 * parameter for, so a call with a surplus argument would run without it.
 */

export interface Parameters {
  /** As they are written, without default values: `count`, `{ pred }`. */
  readonly names: readonly string[];
  /** Whether the last one takes all that follow. */
  readonly takesMore: boolean;
}

const closing: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** Where a string, a template or a comment that begins there ends; `at` where none does. */
function behindText(text: string, at: number): number {
  const begin = text[at];
  if (text.startsWith("//", at)) return indexOrEnd(text, "\n", at);
  if (text.startsWith("/*", at)) return indexOrEnd(text, "*/", at) + 2;
  if (begin !== '"' && begin !== "'" && begin !== "`") return at;
  let i = at + 1;
  while (i < text.length && text[i] !== begin) i += text[i] === "\\" ? 2 : 1;
  return i + 1;
}

const indexOrEnd = (text: string, what: string, from: number): number => {
  const at = text.indexOf(what, from);
  return at < 0 ? text.length : at;
};

/** What stands between the bracket there and the one that closes it, divided at its own commas: without comments and default values. */
function partsIn(text: string, open: number): readonly string[] {
  const parts: string[] = [];
  const expected: (string | undefined)[] = [];
  let [part, isDefault] = ["", false];
  let at = open + 1;
  while (at < text.length && !(expected.length === 0 && text[at] === ")")) {
    const behind = Math.max(behindText(text, at), at + 1);
    const piece = text.slice(at, behind);
    at = behind;
    const isOwn = expected.length === 0;
    if (piece in closing) expected.push(closing[piece]);
    else if (piece === expected.at(-1)) expected.pop();
    if (isOwn && piece === ",") {
      parts.push(part);
      [part, isDefault] = ["", false];
    } else if (isOwn && piece === "=") isDefault = true;
    else if (!isDefault && !/^\/[/*]/.test(piece)) part += piece;
  }
  return [...parts, part].map((name) => name.trim().replace(/\s+/g, " ")).filter((name) => name !== "");
}

/** The list of parameters of a function, a method, an arrow or the constructor of a class. */
function listOf(text: string): readonly string[] | undefined {
  if (/^class\b/.test(text)) {
    const at = text.search(/(?<=[\s;{}])constructor\s*\(/);
    return at < 0 ? undefined : partsIn(text, text.indexOf("(", at));
  }
  const [, alone] = /^(?:async\s+)?([\w$]+)\s*=>/.exec(text) ?? [];
  if (alone !== undefined) return [alone];
  const open = text.indexOf("(");
  return open < 0 ? undefined : partsIn(text, open);
}

const native = /\{\s*\[native code\]\s*\}\s*$/;
const read = new WeakMap<object, Parameters>();

function parametersIn(f: object): Parameters {
  const text = Function.prototype.toString.call(f);
  const list = native.test(text) ? undefined : listOf(text);
  if (list) {
    return { names: list, takesMore: list.at(-1)?.startsWith("...") ?? false };
  }
  const parent: unknown = Object.getPrototypeOf(f);
  // A class without a constructor has that of the one that it extends.
  if (/^class\b/.test(text))
    return typeof parent === "function" && parent !== Function.prototype ? parametersOf(parent) : { names: [], takesMore: false };
  return { names: [], takesMore: true };
}

/** Of a function of the package. What is not written in JavaScript takes anything. */
export function parametersOf(f: object): Parameters {
  const known = read.get(f) ?? parametersIn(f);
  read.set(f, known);
  return known;
}

/** Declares that `made` passes its arguments on to `f`: it has the parameters of `f`. Returns `made`. */
export function withParametersOf<F extends object>(made: F, f: object): F {
  read.set(made, parametersOf(f));
  return made;
}
