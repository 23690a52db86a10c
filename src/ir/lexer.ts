import { registerSource, type Span } from "../base/diag/index.ts";
import { fail } from "./errors.ts";

/** A piece of the text form. `value`: what a string or a number stands for. */
export interface Token {
  readonly kind: "word" | "string" | "number" | "bigint" | "value" | "sign" | "end";
  readonly text: string;
  readonly value: string | number | bigint;
  /** Where it begins, counted from 1. */
  readonly line: number;
  readonly column: number;
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

/** Where a token stands, as a span of `file`. */
export const placeOf = (file: string, token: Pick<Token, "line" | "column" | "text">): Span => ({
  file,
  line: token.line,
  column: token.column,
  length: Math.max(1, token.text.length),
});

/** Refuses the text, with a caret at `token`. */
export function refuse(file: string, text: string, token: Pick<Token, "line" | "column" | "text">, expected: string): never {
  registerSource(file, text);
  return fail("W2900", { found: token.text, expected }, [placeOf(file, token)]);
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

function matchAt(text: string, at: number): { kind: Token["kind"] | "space"; match: string } | undefined {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = at;
    const match = pattern.exec(text)?.[0];
    if (match !== undefined) return { kind, match };
  }
  return undefined;
}

/** Cuts the text into tokens; the last is an `end`. */
export function lex(text: string, file: string): readonly Token[] {
  const tokens: Token[] = [];
  let [at, line, lineStart, newLine] = [0, 1, 0, true];
  while (at < text.length) {
    const place = { line, column: at - lineStart + 1 };
    const found = matchAt(text, at);
    if (!found)
      return refuse(file, text, { ...place, text: text.charAt(at) }, "a name, a value, a number, a string or punctuation");
    const { kind, match } = found;
    at += match.length;
    if (kind === "space") {
      const breaks = match.split("\n").length - 1;
      line += breaks;
      if (breaks > 0) lineStart = at - match.length + match.lastIndexOf("\n") + 1;
      newLine ||= breaks > 0;
      continue;
    }
    const value = meaning(kind, match, () => refuse(file, text, { ...place, text: match }, "a string as in JSON"));
    tokens.push({ kind, text: match, value, ...place, newLine });
    newLine = false;
  }
  tokens.push({ kind: "end", text: "the end of the text", value: "", line, column: at - lineStart + 1, newLine });
  return tokens;
}
