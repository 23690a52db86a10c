/**
 * The search for the fastest of several candidates, whatever a candidate is. Each of its rounds names candidates, tries those that are new, and times those that are
 * right. The fastest of the last round is chosen, and kept on disk where the caller says so. `autotune`, `tune` and `warpsmith tune` use it with different parts:
 *
 * - where candidates are tried: in this process, since a function makes their kernels, or in processes of their own, where they are data (kernels/tune);
 * - what is compared: nothing, results on the host, or results on the device;
 * - how they are timed: one by one for 20 ms each, since a launch waits for it, or in turns for seconds.
 *
 * `autotune` chooses within a launch, which returns no promise. So a search is a generator that yields the promises it waits for; the parts of `autotune` have none.
 */

import type { WarpsmithError } from "../../base/diag/index.ts";
import { type Choice, keepChoice, type Searched } from "../../base/tuned-choices.ts";

/** Something that yields promises and takes what they give. */
export type Steps<T> = Generator<Promise<unknown>, T, unknown>;

/** What a promise gives; a value that is none is there at once. */
export function* wait<T>(value: T | Promise<T>): Steps<T> {
  // What is sent back is what the promise gave.
  return value instanceof Promise ? ((yield value) as T) : value;
}

/** Runs steps, waiting where they do. */
export async function run<T>(steps: Steps<T>): Promise<T> {
  let step = steps.next();
  while (!step.done)
    step = await step.value.then(
      (value) => steps.next(value),
      (error: unknown) => steps.throw(error),
    );
  return step.value;
}

/** Runs steps that wait for nothing. */
export function runAtOnce<T>(steps: Steps<T>): T {
  const step = steps.next();
  if (!step.done) throw new Error("a search within a launch cannot wait");
  return step.value;
}

/** What became of a candidate that was tried, or why it was not: pruned where the caller leaves it out. */
export type Outcome = "right" | "wrong" | "refused" | "hangs" | "faults" | "pruned" | "not tried";

/** `O`: those that there can be where it is tried. */
export interface Verdict<O extends Outcome = Outcome> {
  readonly outcome: O;
  readonly reason?: string;
  readonly error?: WarpsmithError;
}

export interface Trial<C, O extends Outcome = Outcome> extends Verdict<O> {
  readonly candidate: C;
  /** Microseconds. */
  readonly time?: number;
  /** The round in which it was timed, from 1: times of two rounds are no comparison. */
  readonly round?: number;
}

export type Note<C, O extends Outcome = Outcome> = (candidate: C, verdict: Verdict<O>) => void;
type Times = readonly (number | null)[];

export interface Round<C, O extends Outcome = Outcome> {
  /** Those to be timed, in the order to try them; the trials so far come the fastest first. What is left out is noted. */
  readonly candidates: (ranked: readonly Trial<C, O>[], note: Note<C, O>) => readonly C[];
  /** Tries each once. One that is not noted was left out. */
  readonly try: (fresh: readonly C[], note: Note<C, O>) => Steps<void>;
  /** Microseconds of each, null where it has none. Left out where nothing is timed, as on the emulator. */
  readonly time?: (right: readonly C[], note: Note<C, O>) => Times | Promise<Times>;
}

/** Where the choice is kept, and as what. */
export interface Keep<C> {
  readonly searched: Searched;
  /** Undefined where it is not kept. */
  readonly as: (candidate: C) => Omit<Choice, "time"> | undefined;
}

/** Those of the last round first, in the order of their times; those without a time behind them. */
const byTime = (x: Trial<unknown>, y: Trial<unknown>): number =>
  (y.round ?? 0) - (x.round ?? 0) || (x.time ?? Number.POSITIVE_INFINITY) - (y.time ?? Number.POSITIVE_INFINITY);

/** What became of each candidate, the fastest first. */
export function* search<C, O extends Outcome = Outcome>(
  rounds: readonly Round<C, O>[],
  keep?: Keep<C>,
): Steps<readonly Trial<C, O>[]> {
  const trials = new Map<C, Trial<C, O>>();
  const ranked = () => [...trials.values()].sort(byTime);
  const note: Note<C, O> = (candidate, verdict) => void trials.set(candidate, { candidate, ...verdict });
  let timed = 0;
  for (const round of rounds) {
    const all = [...new Set(round.candidates(ranked(), note))];
    const fresh = all.filter((candidate) => !trials.has(candidate));
    yield* round.try(fresh, note);
    const right = all.filter((candidate) => trials.get(candidate)?.outcome === "right");
    if (!round.time || right.length === 0) continue;
    const times = yield* wait(round.time(right, note));
    timed++;
    for (const [i, candidate] of right.entries()) {
      const [trial, time] = [trials.get(candidate), times[i] ?? undefined];
      if (trial && time !== undefined) trials.set(candidate, { ...trial, time, round: timed });
    }
  }
  const found = ranked();
  const [best] = found;
  if (keep && best?.time !== undefined) {
    const choice = keep.as(best.candidate);
    if (choice) keepChoice(keep.searched, { ...choice, time: best.time });
  }
  return found;
}
