/** Kinds of tokens; punctuation has its character code as its kind. */
export const END = 0;
/** A name, or an opcode with its dots: `%r1`, `$L_2`, `ld.global.L1::no_allocate.b32`. */
export const WORD = 1;
/** A dot and a word: `.reg`. */
export const DIRECTIVE = 2;
export const NUMBER = 3;
export const STRING = 4;

/** Tokens side by side, not as objects: a module has millions. What follows the last is END. */
export interface Tokens {
  readonly text: string;
  readonly kinds: Uint8Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** Where each line begins. */
  readonly lines: Int32Array;
}

const WORD_CHARACTER = 1;
const WORD_START = 2;
const DIGIT = 4;
const SPACE = 8;
/** By the code of any character, so that nothing is to be asked first. */
const classes = new Uint8Array(2 ** 16);
for (let c = 0; c < 128; c++) {
  const s = String.fromCharCode(c);
  classes[c] =
    (/[\w$%]/.test(s) ? WORD_CHARACTER : 0) |
    (/[A-Za-z_$%]/.test(s) ? WORD_START : 0) |
    (/\d/.test(s) ? DIGIT : 0) |
    (/\s/.test(s) ? SPACE : 0);
}
/** At the end of a text the code is NaN. */
const classOf = (code: number): number => classes[code] ?? 0;

const code = (s: string): number => s.charCodeAt(0);
const DOT = code(".");
const COLON = code(":");
const SLASH = code("/");
const STAR = code("*");
const QUOTE = code('"');
const NEWLINE = code("\n");
const BACKSLASH = code("\\");

/** Where a word ends that begins at `at`: it takes `.part` and `::part` with it. */
function endOfWord(text: string, at: number): number {
  let i = at;
  for (;;) {
    const c = text.charCodeAt(i);
    if (classOf(c) & WORD_CHARACTER) i++;
    else if (c === DOT && classOf(text.charCodeAt(i + 1)) & WORD_CHARACTER) i += 2;
    else if (c === COLON && text.charCodeAt(i + 1) === COLON && classOf(text.charCodeAt(i + 2)) & WORD_CHARACTER) i += 3;
    else return i;
  }
}

const numberPattern =
  /0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}|0[xX][0-9a-fA-F]+U?|0[bB][01]+U?|\d+\.\d*(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d+U?/y;

function endOfNumber(text: string, at: number): number {
  let i = at;
  while (classOf(text.charCodeAt(i)) & DIGIT) i++;
  const next = text.charCodeAt(i);
  if (!(classOf(next) & WORD_CHARACTER) && next !== DOT) return i;
  numberPattern.lastIndex = at;
  return numberPattern.test(text) ? numberPattern.lastIndex : i;
}

function endOfString(text: string, at: number): number {
  let i = at + 1;
  while (i < text.length && text.charCodeAt(i) !== QUOTE) i += text.charCodeAt(i) === BACKSLASH ? 2 : 1;
  return Math.min(i + 1, text.length);
}

/** Where a comment ends that begins at `at`; `at` itself where none does. */
function endOfComment(text: string, at: number): number {
  const next = text.charCodeAt(at + 1);
  if (next !== SLASH && next !== STAR) return at;
  const end = next === SLASH ? text.indexOf("\n", at) : text.indexOf("*/", at + 2);
  if (end < 0) return text.length;
  return next === SLASH ? end : end + 2;
}

/** Characters that a token takes, and a line, white space included: fewer than compilers write. */
const tokenCharacters = 3;
const lineCharacters = 16;
const least = 64;

function grown<T extends Uint8Array | Int32Array>(values: T): T {
  const more = new (values.constructor as new (length: number) => T)(2 * values.length);
  more.set(values);
  return more;
}

function endOfToken(text: string, at: number, kind: number): number {
  if (kind === WORD) return endOfWord(text, at);
  if (kind === NUMBER) return endOfNumber(text, at);
  if (kind === DIRECTIVE) return endOfDirective(text, at);
  return kind === STRING ? endOfString(text, at) : at + 1;
}
/** Of the token that begins with that character. */
function kindOf(text: string, at: number, c: number): number {
  const kind = classOf(c);
  if (kind & WORD_START) return WORD;
  if (kind & DIGIT) return NUMBER;
  if (c === DOT && classOf(text.charCodeAt(at + 1)) & WORD_CHARACTER) return DIRECTIVE;
  if (c === QUOTE) return STRING;
  return c < 256 ? c : 255;
}

/** Splits PTX text into tokens; comments and white space are dropped. Unknown characters become punctuation, which no rule takes. */
export function lex(text: string): Tokens {
  const expected = least + Math.floor(text.length / tokenCharacters);
  let [kinds, starts, ends] = [new Uint8Array(expected), new Int32Array(expected), new Int32Array(expected)];
  let lines = new Int32Array(least + Math.floor(text.length / lineCharacters));
  let count = 0;
  // The first line begins at 0.
  let lineCount = 1;
  const { length } = text;
  for (let i = 0; i < length; ) {
    const c = text.charCodeAt(i);
    if (classOf(c) & SPACE) {
      i++;
      if (c !== NEWLINE) continue;
      if (lineCount === lines.length) lines = grown(lines);
      lines[lineCount++] = i;
      continue;
    }
    const comment = c === SLASH ? endOfComment(text, i) : i;
    if (comment > i) {
      for (let n = text.indexOf("\n", i); n >= 0 && n < comment; n = text.indexOf("\n", n + 1)) {
        if (lineCount === lines.length) lines = grown(lines);
        lines[lineCount++] = n + 1;
      }
      i = comment;
      continue;
    }
    // One more is left for END.
    if (count + 1 === kinds.length) [kinds, starts, ends] = [grown(kinds), grown(starts), grown(ends)];
    const kind = kindOf(text, i, c);
    kinds[count] = kind;
    starts[count] = i;
    i = endOfToken(text, i, kind);
    ends[count++] = i;
  }
  kinds[count] = END;
  starts[count] = ends[count] = text.length;
  return { text, kinds, starts, ends, lines: lines.subarray(0, lineCount) };
}

/** `.reg` alone: the dots after it begin directives of their own (`.param::entry` stays whole). */
function endOfDirective(text: string, at: number): number {
  let i = at + 1;
  for (;;) {
    const c = text.charCodeAt(i);
    if (classOf(c) & WORD_CHARACTER) i++;
    else if (c === COLON && text.charCodeAt(i + 1) === COLON && classOf(text.charCodeAt(i + 2)) & WORD_CHARACTER) i += 3;
    else return i;
  }
}
