import type { Span } from "../base/diag/index.ts";
import { lineStarts, position } from "./pieces.ts";

/** The spans that one module's calls refer to: each distinct place once, in the order of first use. */
export class SpanTable {
  readonly #starts: readonly number[];
  readonly #text: string;
  readonly #file: string;
  readonly #index = new Map<string, number>();
  readonly #flat: number[] = [];
  readonly #parts = new Map<number, readonly number[]>();
  readonly #binds = new Map<number, string>();

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

  /** What stands at a span has its index, or its arguments, at others. */
  hasParts(at: number, parts: readonly number[]): void {
    this.#parts.set(at, parts);
  }

  /** The call at a span is the value of that variable or field. */
  isNamed(at: number, name: string): void {
    this.#binds.set(at, name);
  }

  /** `ModuleInfo.parts` and `.binds` as text, each after a comma; nothing where there are none. */
  more(): string {
    const parts = [...this.#parts].map(([at, inside]) => `[${[at, ...inside].join(", ")}]`);
    const binds = [...this.#binds].map(([at, name]) => `${at}: ${JSON.stringify(name)}`);
    return `${parts.length > 0 ? `, parts: [${parts.join(", ")}]` : ""}${binds.length > 0 ? `, binds: { ${binds.join(", ")} }` : ""}`;
  }

  /** Line, column and length of each span, as `ModuleInfo.spans` wants them. */
  flat(): readonly number[] {
    return this.#flat;
  }
}
