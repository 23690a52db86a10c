/**
 * Notes about objects that come and go by the thousand, such as meetings at barriers. A note is kept on its object: weak maps of this many
 * objects slow the garbage collector down.
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
