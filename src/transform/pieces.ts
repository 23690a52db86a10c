/**
 * What the rewrite produces: generated text, text copied from the source, and marks that say which place of the source the
 * generated text after them stands for. Flattened once, at the end, into the output and its source map.
 */
export type Piece = string | SourceRange | Mark | readonly Piece[];

/** Text of the source, verbatim. */
export interface SourceRange {
  readonly start: number;
  readonly end: number;
}

/** Generated text from here on stands for this offset of the source. */
export interface Mark {
  readonly mark: number;
}

/** [generated column, source index, line, column], from 0. */
export type Segment = [number, number, number, number];

/** A source map whose mappings are not yet encoded. */
export interface DecodedMap {
  readonly version: 3;
  readonly sources: string[];
  readonly sourcesContent: string[];
  readonly names: string[];
  readonly mappings: Segment[][];
}

export interface Flattened {
  readonly code: string;
  readonly map: DecodedMap;
}

/** Start offset of each line. */
export function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let i = text.indexOf("\n"); i >= 0; i = text.indexOf("\n", i + 1)) starts.push(i + 1);
  return starts;
}

/** Line and column, from 0, of an offset. */
export function position(starts: readonly number[], offset: number): { line: number; column: number } {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low, column: offset - (starts[low] ?? 0) };
}

const token = /\w+|[^\s\w]/g;

/** Joins the pieces; copied text is mapped token by token. */
export function flatten(piece: Piece, source: string, sourceName: string): Flattened {
  const starts = lineStarts(source);
  const chunks: string[] = [];
  const mappings: Segment[][] = [[]];
  let column = 0;

  const map = (offset: number): void => {
    const at = position(starts, offset);
    mappings.at(-1)?.push([column, 0, at.line, at.column]);
  };
  const write = (text: string): void => {
    chunks.push(text);
    const lines = text.split("\n");
    for (let i = 1; i < lines.length; i++) mappings.push([]);
    column = (lines.length === 1 ? column : 0) + (lines.at(-1) ?? "").length;
  };
  const copy = (range: SourceRange): void => {
    const text = source.slice(range.start, range.end);
    let done = 0;
    for (const match of text.matchAll(token)) {
      write(text.slice(done, match.index));
      map(range.start + match.index);
      done = match.index;
    }
    write(text.slice(done));
  };
  const visit = (p: Piece): void => {
    if (typeof p === "string") write(p);
    else if ("mark" in p) map(p.mark);
    else if ("start" in p) copy(p);
    else for (const inner of p) visit(inner);
  };
  visit(piece);
  return { code: chunks.join(""), map: { version: 3, sources: [sourceName], sourcesContent: [source], names: [], mappings } };
}

/** Puts a separator between pieces. */
export function join(pieces: readonly Piece[], separator: string): Piece {
  return pieces.flatMap((p, i) => (i === 0 ? [p] : [separator, p]));
}
