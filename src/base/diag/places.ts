import type { Span } from "./span.ts";

/** Places, each once, by their numbers in `list`. */
export class Places {
  readonly list: Span[] = [];
  readonly #numbers = new Map<string, number>();

  of(place: Span | undefined): number | undefined {
    if (!place) return undefined;
    const key = `${place.line}:${place.column}:${place.length}:${place.file}`;
    const known = this.#numbers.get(key) ?? this.list.push(place) - 1;
    this.#numbers.set(key, known);
    return known;
  }
}
