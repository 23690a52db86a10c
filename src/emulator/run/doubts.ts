/** Memory that failed launches have left in doubt, and until when. */

/** What a doubt needs to know of the launch that has left it. */
export interface Failed {
  /** The number of the first task that was issued after somebody was told of the failure; undefined until then. */
  readonly told: number | undefined;
}

/** `spoiled`: the launch may have written there. `given`: it was given the memory, and has not written there. */
export type Doubt = "spoiled" | "given";

interface Entry<F> {
  readonly begin: number;
  readonly end: number;
  readonly failure: F;
  readonly doubt: Doubt;
}

/** Bytes of an allocation. */
export interface Range {
  /** Where the allocation begins. */
  readonly base: number;
  /** From there. */
  readonly begin: number;
  readonly end: number;
}

const meet = (a: { readonly begin: number; readonly end: number }, b: typeof a): boolean => a.begin < b.end && b.begin < a.end;

/** Tasks ask in the order of their numbers: what is settled for one is settled for all behind it. */
export class Doubts<F extends Failed> {
  readonly #entries = new Map<number, readonly Entry<F>[]>();

  /** Whether there may be any. */
  get any(): boolean {
    return this.#entries.size > 0;
  }

  /** The first failure that has spoiled one of the bytes, for a task with that number. */
  spoiled(range: Range, issued: number): F | undefined {
    return this.#live(range.base, issued).find((entry) => entry.doubt === "spoiled" && meet(entry, range))?.failure;
  }

  /** The first failure that nobody has been told of, of a launch that was given one of the bytes. */
  given(range: Range): F | undefined {
    return this.#at(range.base).find((entry) => entry.failure.told === undefined && meet(entry, range))?.failure;
  }

  /** The first failure that has spoiled anything. */
  anywhere(issued: number): F | undefined {
    for (const base of [...this.#entries.keys()]) {
      const found = this.#live(base, issued).find(({ doubt }) => doubt === "spoiled");
      if (found) return found.failure;
    }
    return undefined;
  }

  /** Of several failures the first is named, and each counts until somebody is told of it. */
  add({ base, begin, end }: Range, failure: F, doubt: Doubt, issued: number): void {
    const entries = this.#live(base, issued);
    const covers = (entry: Entry<F>): boolean => entry.begin <= begin && entry.end >= end;
    if (entries.some((entry) => covers(entry) && entry.failure === failure && entry.doubt === doubt)) return;
    this.#set(base, [...entries, { begin, end, failure, doubt }]);
  }

  /** The bytes are known again. */
  written({ base, begin, end }: Range): void {
    const entries = this.#entries.get(base);
    if (!entries) return;
    const left = entries.flatMap((entry) => {
      if (!meet(entry, { begin, end })) return [entry];
      const parts = [
        { ...entry, end: begin },
        { ...entry, begin: end },
      ];
      return parts.filter((part) => part.begin < part.end);
    });
    this.#set(base, left);
  }

  /** Bytes are copied: what is spoiled there is spoiled here. */
  copied(from: Range, to: Range, issued: number): void {
    const by = to.begin - from.begin;
    const spoiled = this.#live(from.base, issued).filter((entry) => entry.doubt === "spoiled" && meet(entry, from));
    this.written(to);
    for (const entry of spoiled) {
      const [begin, end] = [Math.max(entry.begin, from.begin) + by, Math.min(entry.end, from.end) + by];
      this.add({ base: to.base, begin, end }, entry.failure, "spoiled", issued);
    }
  }

  freed(base: number): void {
    this.#entries.delete(base);
  }

  #at(base: number): readonly Entry<F>[] {
    return this.#entries.get(base) ?? [];
  }

  #live(base: number, issued: number): readonly Entry<F>[] {
    const entries = this.#at(base);
    const live = entries.filter(({ failure: { told } }) => told === undefined || issued < told);
    if (live.length < entries.length) this.#set(base, live);
    return live;
  }

  #set(base: number, entries: readonly Entry<F>[]): void {
    if (entries.length > 0) this.#entries.set(base, entries);
    else this.#entries.delete(base);
  }
}
