/** A place in a source file. Lines and columns count from 1. */
export interface Span {
  /** The path of the file, relative to the working directory where it lies below it. */
  readonly file: string;
  /** The line, from 1. */
  readonly line: number;
  /** The column, from 1. */
  readonly column: number;
  /** Characters of the place: what the caret frame underlines. */
  readonly length: number;
  /** What the place is where it is no call on the way in: "in the kernel at", "declared at". */
  readonly note?: string;
  /** Of `x[index]` the index, of a method call each argument, where they are short and on one line. */
  readonly parts?: readonly Span[];
  /** Of a call: the variable or field that it is the value of, `const tile = …`. */
  readonly binds?: string;
}

/** Where an operation was written: innermost first, then each call on the way in. */
export type Spans = readonly Span[];

export const noSpans: Spans = [];

export const sameSpan = (a: Span, b: Span): boolean =>
  a === b || (a.file === b.file && a.line === b.line && a.column === b.column);
