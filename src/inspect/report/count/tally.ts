import type { Spans } from "../../../base/diag/index.ts";

/** Counts by name, such as "read threads 0" or "tensor f16". */
export class Tally {
  readonly counts = new Map<string, number>();

  add(name: string, amount: number): void {
    if (amount !== 0) this.counts.set(name, (this.counts.get(name) ?? 0) + amount);
  }

  /** All of another one, so many times. */
  addAll({ counts }: Tally, times = 1): void {
    for (const [name, amount] of counts) this.add(name, amount * times);
  }

  /** Of either, the larger count. */
  static most(a: Tally, b: Tally): Tally {
    const larger = new Tally();
    for (const name of new Set([...a.counts.keys(), ...b.counts.keys()]))
      larger.add(name, Math.max(a.counts.get(name) ?? 0, b.counts.get(name) ?? 0));
    return larger;
  }
}

/** Why a count is no exact one. */
export type DoubtKind = "branch" | "loop" | "predicate" | "bytes" | "box" | "ptx" | "blocks";

/** What could not be known, and where. */
export interface Doubt {
  readonly kind: DoubtKind;
  readonly spans: Spans;
}

/** Each doubt once: by its kind and its place. */
export class Doubts {
  readonly #found = new Map<string, Doubt>();

  add(kind: DoubtKind, spans: Spans): void {
    const [at] = spans;
    const key = `${kind} ${at?.file}:${at?.line}:${at?.column}`;
    if (!this.#found.has(key)) this.#found.set(key, { kind, spans });
  }

  get list(): readonly Doubt[] {
    return [...this.#found.values()];
  }
}
