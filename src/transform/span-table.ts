import type { Span } from "../diag/index.ts";
import { lineStarts, position } from "./pieces.ts";

/** The spans that one module's calls refer to: each distinct place once, in the order of first use. */
export class SpanTable {
  readonly #starts: readonly number[];
  readonly #text: string;
  readonly #file: string;
  readonly #index = new Map<string, number>();
  readonly #flat: number[] = [];

  constructor(text: string, file: string) {
    this.#text = text;
    this.#file = file;
    this.#starts = lineStarts(text);
  }

  /** The span between two offsets, cut at the end of its first line. */
  span(start: number, end: number): Span {
    const at = position(this.#starts, start);
    const lineEnd = (this.#starts[at.line + 1] ?? this.#text.length + 1) - 1;
    return { file: this.#file, line: at.line + 1, column: at.column + 1, length: Math.max(1, Math.min(end, lineEnd) - start) };
  }

  /** The index of the span between two offsets. */
  at(start: number, end: number): number {
    const { line, column, length } = this.span(start, end);
    const key = `${line}:${column}:${length}`;
    const known = this.#index.get(key);
    if (known !== undefined) return known;
    const index = this.#index.size;
    this.#index.set(key, index);
    this.#flat.push(line, column, length);
    return index;
  }

  /** Line, column and length of each span, as `ModuleInfo.spans` wants them. */
  flat(): readonly number[] {
    return this.#flat;
  }
}
