import { registerSource, type Span } from "../../base/diag/index.ts";
import { fail } from "../errors.ts";
import { DIRECTIVE, END, NUMBER, STRING, type Tokens, WORD } from "./lex.ts";

/** A place among the tokens of a module. */
export interface Cursor {
  readonly tokens: Tokens;
  /** What errors call the module. */
  readonly file: string;
  at: number;
  /** Brackets, braces and signs that the place is inside. */
  depth: number;
  /** The line asked for last, from 0: mostly that of the next question, too, or not far before it. */
  line: number;
}

export const cursorOver = (tokens: Tokens, file: string): Cursor => ({ tokens, file, at: 0, depth: 0, line: 0 });

/** What a reader that calls itself may be inside of: far more than a compiler writes, and less than the stack holds. */
const deepest = 256;

/** Reads what may hold the like of itself. W9807. */
export function nested<T>(c: Cursor, read: () => T): T {
  if (c.depth >= deepest) fail("W9807", { deepest }, spansAt(c, c.at));
  c.depth++;
  const found = read();
  c.depth--;
  return found;
}

export const kindAt = (c: Cursor, ahead = 0): number => c.tokens.kinds[c.at + ahead] ?? END;
export const textAt = (c: Cursor, index: number): string =>
  c.tokens.text.slice(c.tokens.starts[index] ?? 0, c.tokens.ends[index] ?? 0);

/** Finds the line of a place in the text, from 0. */
function findLine(c: Cursor, place: number): number {
  const { lines } = c.tokens;
  if ((lines[c.line] ?? 0) > place) c.line = 0;
  while (c.line + 1 < lines.length && (lines[c.line + 1] ?? 0) <= place) c.line++;
  return c.line;
}
/** From 1. */
export const lineAt = (c: Cursor, index: number): number => findLine(c, c.tokens.starts[index] ?? 0) + 1;
export function columnAt(c: Cursor, index: number): number {
  const place = c.tokens.starts[index] ?? 0;
  return place - (c.tokens.lines[findLine(c, place)] ?? 0) + 1;
}

export const spanAt = (c: Cursor, index: number): Span => ({
  file: c.file,
  line: lineAt(c, index),
  column: columnAt(c, index),
  length: Math.max(1, (c.tokens.ends[index] ?? 0) - (c.tokens.starts[index] ?? 0)),
});

/** Where an error is shown: the caret frame needs the text, which is kept only then. */
export function spansAt(c: Cursor, index: number): readonly Span[] {
  registerSource(c.file, c.tokens.text);
  return [spanAt(c, index)];
}

export function failExpected(c: Cursor, expected: string, index = c.at): never {
  const kind = c.tokens.kinds[index] ?? END;
  const found = kind === END ? "the end of the text" : `'${textAt(c, index)}'`;
  return fail("W9800", { expected, found }, spansAt(c, index));
}

/** Character codes of the punctuation that the grammar uses. */
export const P = {
  open: 123,
  close: 125,
  parenOpen: 40,
  parenClose: 41,
  bracketOpen: 91,
  bracketClose: 93,
  comma: 44,
  semicolon: 59,
  colon: 58,
  equals: 61,
  at: 64,
  not: 33,
  bar: 124,
  plus: 43,
  minus: 45,
  less: 60,
  greater: 62,
  tilde: 126,
  star: 42,
  slash: 47,
  percent: 37,
  and: 38,
  caret: 94,
} as const;

/** Goes past that punctuation if it is there. */
export function accept(c: Cursor, kind: number): boolean {
  if (c.tokens.kinds[c.at] !== kind) return false;
  c.at++;
  return true;
}
export function expectMark(c: Cursor, kind: number): void {
  if (!accept(c, kind)) failMissing(c, `'${String.fromCharCode(kind)}'`);
}

/** A mark is missing here: where the next token is on another line, the place is the end of the token before. */
export function failMissing(c: Cursor, expected: string): never {
  const before = c.at - 1;
  if (before < 0 || lineAt(c, before) === lineAt(c, c.at)) return failExpected(c, expected);
  const [last] = spansAt(c, before);
  const found = kindAt(c) === END ? "the end of the text" : `'${textAt(c, c.at)}'`;
  return fail("W9800", { expected, found }, last ? [{ ...last, column: last.column + last.length, length: 1 }] : []);
}
function expectKind(c: Cursor, kind: number, what: string): string {
  if (c.tokens.kinds[c.at] !== kind) failExpected(c, what);
  return textAt(c, c.at++);
}
export const expectWord = (c: Cursor, what: string): string => expectKind(c, WORD, what);
export const expectNumber = (c: Cursor, what: string): string => expectKind(c, NUMBER, what);
export const expectDirective = (c: Cursor, what: string): string => expectKind(c, DIRECTIVE, what);
export const expectString = (c: Cursor, what: string): string => expectKind(c, STRING, what).slice(1, -1);

/** Is the directive of that name (with its dot) here? */
export const isDirective = (c: Cursor, name: string): boolean => kindAt(c) === DIRECTIVE && textAt(c, c.at) === name;
export function acceptDirective(c: Cursor, name: string): boolean {
  if (!isDirective(c, name)) return false;
  c.at++;
  return true;
}

/** `item, item, …` until `end`, which is taken. */
export function listUntil<T>(c: Cursor, end: number, item: () => T): T[] {
  const items: T[] = [];
  if (accept(c, end)) return items;
  for (;;) {
    items.push(item());
    if (accept(c, end)) return items;
    expectMark(c, P.comma);
  }
}
