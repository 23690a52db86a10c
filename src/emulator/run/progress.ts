/** What a warp's turn has brought about. */
export interface Progress {
  /** Something ran. */
  ran: boolean;
  /** Something ran that others can notice, and so may end their waiting. */
  effect: boolean;
  /** Something ran that leaves more behind than registers show, though others do not notice it. */
  hidden: boolean;
  /** Instructions of segments and branches that warps have run; whatever takes longer counts for more. */
  spent: number;
  /** Stores count as an effect only where they change memory. */
  readonly careful: boolean;
}

export const noProgress = (careful = false): Progress => ({ ran: false, effect: false, hidden: false, spent: 0, careful });

/**
 * After this many instructions without a cluster that ends, a store counts only if it changes memory. Where stores do change it, the number
 * doubles, up to the second one.
 */
const firstDoubt = 2 ** 18;
const longestDoubt = 2 ** 24;

/**
 * Whether stores have to change memory to count as an effect. Usually every store counts, because comparing what it writes takes time. A launch
 * that runs for long without a cluster that ends has its stores compared, until one of them has changed something.
 */
export class Doubts {
  #spent = 0;
  #limit = firstDoubt;
  #careful = false;

  /** Whether in the next round a store has to change memory to count. */
  get careful(): boolean {
    return this.#careful;
  }

  /** After a round. `nearer`: a cluster has begun or ended. */
  after({ effect, spent }: Progress, nearer: boolean): void {
    this.#spent += spent;
    if (this.#careful && effect) this.#limit = Math.min(2 * this.#limit, longestDoubt);
    if (nearer || (this.#careful && effect)) {
      this.#spent = 0;
      this.#careful = false;
    } else this.#careful ||= this.#spent > this.#limit;
  }
}
