import { fail, registerSource, type Span } from "../diag/index.ts";

/** A piece of the text form. `value`: what a string or a number stands for. */
export interface Token {
  readonly kind: "word" | "string" | "number" | "bigint" | "value" | "sign" | "end";
  readonly text: string;
  readonly value: string | number | bigint;
  readonly at: number;
  /** The first of its line: operands stand on the line of their op. */
  readonly newLine: boolean;
}

const patterns: readonly (readonly [Token["kind"] | "space", RegExp])[] = [
  ["space", /(?:\s|;[^\n]*)+/y],
  ["value", /%(?:(?:[A-Za-z_$][\w$]*|"(?:[^"\\\n]|\\.)*")\.)?\d+/y],
  ["string", /"(?:[^"\\\n]|\\.)*"/y],
  ["bigint", /-?\d+n\b/y],
  ["number", /-?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|inf\b)|nan\b/y],
  ["word", /[A-Za-z_$][\w$]*(?:(?:\.|::)[\w$]+)*/y],
  ["sign", /[@(){}[\]<>,=:+]/y],
];

const named: Readonly<Record<string, number>> = {
  nan: Number.NaN,
  inf: Number.POSITIVE_INFINITY,
  "-inf": Number.NEGATIVE_INFINITY,
};

/** Where in the text, as a span of `file`. */
export function placeIn(file: string, text: string, at: number, length = 1): Span {
  const before = text.slice(0, at);
  return { file, line: before.split("\n").length, column: at - before.lastIndexOf("\n"), length };
}

/** Refuses the text, with a caret at `at`. */
export function refuse(file: string, text: string, at: number, found: string, expected: string): never {
  registerSource(file, text);
  return fail("W2900", { found, expected }, [placeIn(file, text, at, Math.max(1, found.length))]);
}

function meaning(kind: Token["kind"], text: string, onBadString: () => never): string | number | bigint {
  if (kind === "number") return named[text] ?? Number(text);
  if (kind === "bigint") return BigInt(text.slice(0, -1));
  if (kind !== "string") return text;
  try {
    return JSON.parse(text) as string;
  } catch {
    return onBadString();
  }
}

/** Cuts the text into tokens; the last is an `end`. */
export function lex(text: string, file: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let newLine = true;
  while (at < text.length) {
    const start = at;
    for (const [kind, pattern] of patterns) {
      pattern.lastIndex = at;
      const match = pattern.exec(text)?.[0];
      if (match === undefined) continue;
      at += match.length;
      if (kind === "space") newLine ||= match.includes("\n");
      else {
        const value = meaning(kind, match, () => refuse(file, text, start, match, "a string as in JSON"));
        tokens.push({ kind, text: match, value, at: start, newLine });
        newLine = false;
      }
      break;
    }
    if (at === start) refuse(file, text, at, text.charAt(at), "a name, a value, a number, a string or punctuation");
  }
  tokens.push({ kind: "end", text: "the end of the text", value: "", at: text.length, newLine });
  return tokens;
}
