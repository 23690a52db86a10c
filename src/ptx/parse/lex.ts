/** Kinds of tokens; punctuation has its character code as its kind. */
export const END = 0;
/** A name, or an opcode with its dots: `%r1`, `$L_2`, `ld.global.L1::no_allocate.b32`. */
export const WORD = 1;
/** A dot and a word: `.reg`. */
export const DIRECTIVE = 2;
export const NUMBER = 3;
export const STRING = 4;

/** Tokens side by side, not as objects: a module has tens of thousands. The last is END. */
export interface Tokens {
  readonly text: string;
  readonly kinds: Uint8Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly lines: Int32Array;
  readonly columns: Int32Array;
}

const WORD_CHARACTER = 1;
const WORD_START = 2;
const DIGIT = 4;
const SPACE = 8;
const classes = new Uint8Array(128);
for (let c = 0; c < 128; c++) {
  const s = String.fromCharCode(c);
  classes[c] =
    (/[\w$%]/.test(s) ? WORD_CHARACTER : 0) |
    (/[A-Za-z_$%]/.test(s) ? WORD_START : 0) |
    (/\d/.test(s) ? DIGIT : 0) |
    (/\s/.test(s) ? SPACE : 0);
}
const classOf = (code: number): number => (code < 128 ? (classes[code] ?? 0) : 0);

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

/** No text has more tokens than characters. */
function roomFor(text: string): Tokens {
  const size = text.length + 1;
  const column = (): Int32Array => new Int32Array(size);
  return { text, kinds: new Uint8Array(size), starts: column(), ends: column(), lines: column(), columns: column() };
}

/** Splits PTX text into tokens; comments and white space are dropped. Unknown characters become punctuation, which no rule takes. */
export function lex(text: string): Tokens {
  const tokens = roomFor(text);
  const { kinds, starts, ends, lines, columns } = tokens;
  let count = 0;
  let line = 1;
  let lineStart = 0;
  let i = 0;
  const push = (kind: number, end: number): void => {
    kinds[count] = kind;
    starts[count] = i;
    ends[count] = end;
    lines[count] = line;
    columns[count] = i - lineStart + 1;
    count++;
    i = end;
  };
  const skipTo = (end: number): void => {
    for (let n = text.indexOf("\n", i); n >= 0 && n < end; n = text.indexOf("\n", n + 1)) {
      line++;
      lineStart = n + 1;
    }
    i = end;
  };
  while (i < text.length) {
    const c = text.charCodeAt(i);
    const kind = classOf(c);
    if (c === NEWLINE) {
      i++;
      line++;
      lineStart = i;
    } else if (kind & SPACE) i++;
    else if (kind & WORD_START) push(WORD, endOfWord(text, i));
    else if (kind & DIGIT) push(NUMBER, endOfNumber(text, i));
    else if (c === SLASH && endOfComment(text, i) > i) skipTo(endOfComment(text, i));
    else if (c === DOT && classOf(text.charCodeAt(i + 1)) & WORD_CHARACTER) push(DIRECTIVE, endOfDirective(text, i));
    else if (c === QUOTE) push(STRING, endOfString(text, i));
    else push(c < 256 ? c : 255, i + 1);
  }
  push(END, i);
  return tokens;
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
