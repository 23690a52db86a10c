/** One made before, and what it was made for. */
interface Known<Asked, Ready> {
  readonly asked: Asked;
  readonly ready: Ready;
}

/**
 * Launches that are ready, found again by the identity of what they were made for: the first tensor is the key, and `Asked` holds all else. They are gone with that tensor.
 * For calls into memory of the author's: memory that is made for one call is asked for once.
 */
export class KnownLaunches<Asked, Ready> {
  readonly #lists = new WeakMap<object, Known<Asked, Ready>[]>();
  /** How many are kept of one first tensor: those used last. */
  readonly #kept: number;

  constructor(kept: number) {
    this.#kept = kept;
  }

  /** Allocates nothing where `isSame` does not: it runs at every call. */
  recall(first: object, isSame: (before: Asked) => boolean): Ready | undefined {
    const list = this.#lists.get(first);
    if (!list) return undefined;
    for (let i = 0; i < list.length; i++) {
      const known = list[i];
      if (!known || !isSame(known.asked)) continue;
      if (i > 0) list.unshift(...list.splice(i, 1));
      return known.ready;
    }
    return undefined;
  }

  remember(first: object, asked: Asked, ready: Ready): void {
    const list = this.#lists.get(first) ?? [];
    this.#lists.set(first, list);
    list.unshift({ asked, ready });
    list.length = Math.min(list.length, this.#kept);
  }
}
