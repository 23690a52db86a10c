/**
 * What somebody remembers of objects that come and go by the thousand, as meetings at barriers do. It is kept on the objects: weak maps
 * of so many take the garbage collector long.
 */
export class Notes<T> {
  readonly #key = Symbol("note");

  get(of: object): T | undefined {
    return (of as Record<symbol, T | undefined>)[this.#key];
  }

  set(of: object, note: T): void {
    (of as Record<symbol, T | undefined>)[this.#key] = note;
  }
}
