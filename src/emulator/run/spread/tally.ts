/**
 * What all threads that run one launch know of its clusters: 32-bit words that they share. Clusters are taken in order, so whoever
 * has the lowest of those that are not over never waits for anybody.
 */

/** Words before those of the clusters. */
const word = { next: 0, over: 1, failed: 2, first: 3 } as const;
/** Milliseconds after which somebody who waits looks again in any case. */
const longestWait = 20;

export class Tally {
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #total: number;

  constructor(buffer: SharedArrayBuffer) {
    this.buffer = buffer;
    this.#words = new Int32Array(buffer);
    this.#total = this.#words.length - word.first;
  }

  /** The next cluster that nobody has taken; undefined where there is none, or one before it has failed. */
  take(): number | undefined {
    const number = Atomics.add(this.#words, word.next, 1);
    return number < this.#total && !this.stopped(number) ? number : undefined;
  }

  /** Clusters that are over, and all before them. */
  get over(): number {
    return Atomics.load(this.#words, word.over);
  }

  /** A cluster is over. */
  end(number: number): void {
    const words = this.#words;
    Atomics.store(words, word.first + number, 1);
    for (let over = Atomics.load(words, word.over); over < this.#total; over = Atomics.load(words, word.over)) {
      if (Atomics.load(words, word.first + over) === 0) break;
      Atomics.compareExchange(words, word.over, over, over + 1);
    }
    Atomics.notify(words, word.over);
  }

  /** A cluster has failed: those behind it are given up. -1: all are. */
  fail(number: number): void {
    const words = this.#words;
    for (let known = Atomics.load(words, word.failed); number < known; known = Atomics.load(words, word.failed))
      Atomics.compareExchange(words, word.failed, known, number);
    Atomics.notify(words, word.over);
  }

  /** Whether a cluster is given up. */
  stopped(number: number): boolean {
    return number > Atomics.load(this.#words, word.failed);
  }

  /** Blocks until all clusters before one are over. Gives false where it is given up. */
  awaitTurn(number: number): boolean {
    const words = this.#words;
    for (let over = Atomics.load(words, word.over); over < number; over = Atomics.load(words, word.over)) {
      if (this.stopped(number)) return false;
      Atomics.wait(words, word.over, over, longestWait);
    }
    return !this.stopped(number);
  }
}

/** For so many clusters, of which those before `next` are somebody's. */
export function createTally(total: number, next: number): Tally {
  const buffer = new SharedArrayBuffer(4 * (word.first + total));
  const words = new Int32Array(buffer);
  words[word.next] = next;
  words[word.failed] = total;
  return new Tally(buffer);
}
