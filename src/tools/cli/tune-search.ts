/** The order in which candidates are tried: the most promising first, then what differs in one thing from the fastest. */

import type { Progress } from "../../base/progress.ts";
import { type Candidate, type Family, timeAll, type Verdict, verifyAll, type Workplace } from "../../kernels/tune/index.ts";

/** What became of a candidate. */
export interface Trial {
  readonly candidate: Candidate;
  readonly outcome: Verdict["outcome"];
  readonly reason?: string;
  /** Microseconds; undefined where it was not timed. */
  readonly us?: number;
  /** The run in which it was timed: times of two runs are no comparison. */
  readonly run?: number;
}

interface Searching {
  readonly family: Family<unknown>;
  readonly problem: unknown;
  readonly device: { readonly multiprocessors: number; readonly emulated: boolean };
  /** Seconds, about. */
  readonly budget: number;
  readonly jobs: number;
  readonly progress: Progress;
}

/** Shares of the budget: until which the first candidates are launched, their timing, and the same for the variations. */
const shares = { first: 0.4, second: 0.75, timing: 0.12 } as const;
/** Candidates that are launched at most before the fastest are varied, and how many of them are. */
const most = { first: 48, varied: 4 } as const;

/** In the order of their times, those of the last run first; those without behind them. */
const byTime = (x: Trial, y: Trial): number =>
  (y.run ?? 0) - (x.run ?? 0) || (x.us ?? Number.POSITIVE_INFINITY) - (y.us ?? Number.POSITIVE_INFINITY);

class Search {
  readonly #place: Workplace;
  readonly #how: Searching;
  readonly #trials = new Map<string, Trial>();
  readonly #begin = performance.now();
  #runs = 0;

  constructor(place: Workplace, how: Searching) {
    this.#place = place;
    this.#how = how;
  }

  get trials(): readonly Trial[] {
    return [...this.#trials.values()].sort(byTime);
  }

  async verify(candidates: readonly Candidate[], share: number): Promise<void> {
    const { budget, jobs, progress } = this.#how;
    const fresh = candidates.filter((candidate) => !this.#trials.has(JSON.stringify(candidate)));
    let done = 0;
    await verifyAll(this.#place, fresh, {
      jobs,
      isOver: () => performance.now() - this.#begin > 1000 * share * budget,
      onVerdict: (candidate, verdict) => {
        progress.show(`${++done} of ${fresh.length} candidates launched`);
        this.#trials.set(JSON.stringify(candidate), { candidate, ...verdict });
      },
    });
  }

  /** Times those that were right, in turns. */
  async time(candidates: readonly Candidate[]): Promise<void> {
    const right = candidates.filter((candidate) => this.#trials.get(JSON.stringify(candidate))?.outcome === "right");
    if (right.length === 0) return;
    this.#how.progress.show(`timing ${right.length} candidates`);
    const run = ++this.#runs;
    const times = await timeAll(this.#place, right, shares.timing * this.#how.budget);
    for (const [i, candidate] of right.entries()) {
      const us = times[i];
      if (us !== null && us !== undefined) this.#trials.set(JSON.stringify(candidate), { candidate, outcome: "right", us, run });
    }
  }
}

/** Launches and times; gives what became of each, the fastest first, and what is taken where nothing is kept. */
export async function searchPlans(
  place: Workplace,
  how: Searching,
): Promise<{ readonly trials: readonly Trial[]; readonly usual: Candidate }> {
  const { family, problem, device } = how;
  const { multiprocessors } = device;
  const search = new Search(place, how);
  const usual = family.usual(problem, multiprocessors);
  const first = [usual, ...family.candidates(problem, multiprocessors)].slice(0, most.first);
  await search.verify(first, shares.first);
  if (device.emulated) return { trials: search.trials, usual };
  await search.time(first);
  const fastest = search.trials.filter(({ us }) => us !== undefined).slice(0, most.varied);
  const near = fastest.flatMap(({ candidate }) => family.variations(problem, multiprocessors, candidate));
  await search.verify(near, shares.second);
  // Once more, in one run with the variations.
  await search.time([usual, ...fastest.map(({ candidate }) => candidate), ...near]);
  // The fastest against what is taken without: those two alone, each as often as the other.
  const [best] = search.trials;
  if (best && JSON.stringify(best.candidate) !== JSON.stringify(usual)) await search.time([best.candidate, usual]);
  return { trials: search.trials, usual };
}
