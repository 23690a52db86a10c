/** The order in which candidates are tried: the most promising first, then those that differ in one thing from the fastest. */

import type { Progress } from "../../base/progress.ts";
import { type Round, run, search, type Trial as Tried, type Verdict, wait } from "../../kernel/tune/index.ts";
import type { Candidate, Family } from "./types.ts";
import { timeAll, verifyAll, type Workplace } from "./workers.ts";

/** What became of a candidate. */
export interface Trial extends Verdict {
  readonly candidate: Candidate;
  /** Microseconds; undefined where it was not timed. */
  readonly us?: number;
  /** The run in which it was timed: times of two runs are no comparison. */
  readonly run?: number;
}

export interface Searching {
  readonly family: Family<unknown>;
  readonly problem: unknown;
  readonly device: { readonly device: string; readonly multiprocessors: number; readonly emulated: boolean };
  /** Seconds, about. */
  readonly budget: number;
  readonly jobs: number;
  readonly progress: Progress;
  /** Keep nothing. */
  readonly dry: boolean;
}

/** Shares of the budget: until which the first candidates are launched, their timing, and the same for the variations. */
const shares = { first: 0.4, second: 0.75, timing: 0.12 } as const;
/** Candidates that are launched at most before the fastest are varied, and how many of them are. */
const most = { first: 48, varied: 4 } as const;

const trialOf = ({ candidate, outcome, reason, time, round }: Tried<Candidate>): Trial => ({
  ...{ candidate, outcome },
  ...(reason !== undefined && { reason }),
  ...(time !== undefined && round !== undefined && { us: time, run: round }),
});

/** Launches, times, and keeps the fastest; gives what became of each, the fastest first, and what is taken where nothing is kept. */
export async function searchPlans(
  place: Workplace,
  { family, problem, device, budget, jobs, progress, dry }: Searching,
): Promise<{ readonly trials: readonly Trial[]; readonly usual: Candidate }> {
  const begin = performance.now();
  const { multiprocessors } = device;
  const known = new Map<string, Candidate>();
  /** Candidates that are equal are one. */
  const one = (candidate: Candidate): Candidate => {
    const text = JSON.stringify(candidate);
    const same = known.get(text) ?? candidate;
    known.set(text, same);
    return same;
  };
  const round = (share: number, candidates: (ranked: readonly Tried<Candidate>[]) => readonly Candidate[]): Round<Candidate> => ({
    candidates: (ranked) => candidates(ranked).map(one),
    try: (fresh, note) => {
      let done = 0;
      const isOver = () => performance.now() - begin > 1000 * share * budget;
      const onVerdict = (candidate: Candidate, verdict: Verdict) => {
        progress.show(`${++done} of ${fresh.length} candidates launched`);
        note(candidate, verdict);
      };
      return wait(verifyAll(place, fresh, { jobs, isOver, onVerdict }));
    },
    ...(!device.emulated && {
      time: (right) => {
        progress.show(`timing ${right.length} candidates`);
        return timeAll(place, right, shares.timing * budget);
      },
    }),
  });
  const usual = one(family.usual(problem, multiprocessors));
  const first = round(shares.first, () => [usual, ...family.candidates(problem, multiprocessors)].slice(0, most.first));
  // The fastest are timed once more, in one run with their variations.
  const second = round(shares.second, (ranked) => {
    const fastest = ranked.filter(({ time }) => time !== undefined).slice(0, most.varied);
    const near = fastest.flatMap(({ candidate }) => family.variations(problem, multiprocessors, candidate));
    return [usual, ...fastest.map(({ candidate }) => candidate), ...near];
  });
  // The fastest against what is taken without: those two alone, each as often as the other. Both were tried before.
  const last = round(0, ([best]) => (best && best.candidate !== usual ? [best.candidate, usual] : []));
  const searched = { device: device.device, by: family.name, of: [family.classOf(problem)] };
  const rounds = device.emulated ? [first] : [first, second, last];
  const trials = await run(search(rounds, dry ? undefined : { searched, as: (candidate) => ({ candidate }) }));
  return { trials: trials.map(trialOf), usual };
}
