import { rotations, testsRotate, turns } from "./rotation.ts";

/**
 * How much of what is exhaustive a run takes.
 *
 * - `quick`, `npm test`: each thing once.
 * - `sixth`, `.ci/run`: that, and one sixth of the rest. The commit says which sixth (rotation.ts).
 * - `all`, `npm run test:nightly`, and a file that is named to `npx vitest run`: all lists, and a quarter of what is random.
 * - `thorough`: all of what is random, too.
 */
export type Extent = "quick" | "sixth" | "all" | "thorough";

const extents: readonly string[] = ["quick", "sixth", "all", "thorough"] satisfies readonly Extent[];

function readExtent(text: string | undefined): Extent {
  if (text === undefined || text === "") return "all";
  if (!extents.includes(text)) throw new Error(`TESTS=${text}: it is one of ${extents.join(", ")}`);
  return text as Extent;
}

export const extent: Extent = readExtent(process.env.TESTS);

/** The part of what is random that a run of all tests takes. */
const share = 4;

/** So many places of a list, evenly spread. */
function spread(length: number, count: number): ReadonlySet<number> {
  const few = Math.min(count, length);
  return new Set(Array.from({ length: few }, (_, i) => Math.floor((i * length) / few)));
}

/** The items at `count` places of a list that lie evenly spread, in every run. */
export function few<T>(all: readonly T[], count: number): readonly T[] {
  const places = spread(all.length, count);
  return all.filter((_, i) => places.has(i));
}

/** What of lists and of what is random one run takes: `sixths` says which sixths, the run's own first. Where tests rotate, their lists do not. */
export function takenBy(of: Extent, sixths: () => readonly number[], testsRotate = (): boolean => false) {
  /** A test that rotates holds as much in each sixth as at night: what is taken is a sixth of such tests. */
  const isSixth = (): boolean => of === "sixth" && !testsRotate();
  function amount(all: number, quick: number): number {
    if (of === "quick") return quick;
    if (of === "thorough") return all;
    return Math.max(quick, Math.ceil(all / share / (isSixth() ? turns : 1)));
  }
  function seeds(first: number, all: number, quick: number): readonly number[] {
    const count = amount(all, quick);
    const range = (begin: number, length: number) => Array.from({ length }, (_, i) => begin + i);
    if (!isSixth()) return range(first, count);
    // Those of `npm test`, and of what a night takes the part that lies behind them.
    const part = Math.ceil(Math.max(0, Math.ceil(all / share) - quick) / turns);
    return [...range(first, quick), ...sixths().flatMap((sixth) => range(first + quick + part * sixth, part))];
  }
  function some<T>(all: readonly T[], count: number): readonly T[] {
    if (of !== "quick" && !isSixth()) return all;
    const always = spread(all.length, count);
    return all.filter((_, i) => always.has(i) || (isSixth() && sixths().includes(i % turns)));
  }
  return { amount, seeds, some };
}

const taken = takenBy(extent, rotations, testsRotate);

/** How many of many random things a test takes, such as programs or sizes. */
export const amount: (all: number, quick: number) => number = taken.amount;

/** As many seeds as `amount` says, from `first` on. A sixth has those of `npm test`, seeds of its own, and those in which the file has failed lately. */
export const seeds: (first: number, all: number, quick: number) => readonly number[] = taken.seeds;

/** `RUNS=2000` asks for as many random things, from the first on; `SEED=5` for others. Both are for a file that is named to `npx vitest run`. */
function fromEnv(name: "RUNS" | "SEED"): number | undefined {
  const text = process.env[name];
  if (text === undefined || text === "") return undefined;
  if (!/^\d{1,9}$/.test(text) || (name === "RUNS" && Number(text) === 0))
    throw new Error(`${name}=${text}: it is a whole number, such as 100`);
  return Number(text);
}
const [runsAsked, seedAsked] = [fromEnv("RUNS"), fromEnv("SEED")];

/** Whether `RUNS` asks for more than usual: such a run looks closer, and prints what it has seen. */
export const isAsked: boolean = runsAsked !== undefined;

/** The random things of a test, by number, and the seed from which all of them come. `RUNS` and `SEED` say others. */
export function randomOnes(all: number, quick: number): { readonly places: readonly number[]; readonly seed: number } {
  const places = runsAsked === undefined ? seeds(0, all, quick) : Array.from({ length: runsAsked }, (_, i) => i);
  return { places, seed: seedAsked ?? 1 };
}

/**
 * The parameters of a property of fast-check. The commit gives the seed (turn.ts), so that what fails fails again, and each commit asks for something else.
 * `RUNS` and `SEED` say others.
 */
export function ofProperty(all: number, quick: number): { readonly numRuns: number; readonly seed: number } {
  return { numRuns: runsAsked ?? amount(all, quick), seed: seedAsked ?? Number(process.env.COMMIT_SEED ?? 1) };
}

/** What `few` takes; for a sixth of the tests one sixth of the others, too; else all. The list is the same in each sixth. */
export const some: <T>(all: readonly T[], count: number) => readonly T[] = taken.some;

/** The options of a test or suite that `npm test` leaves out: what it holds is asked once elsewhere, or it takes seconds. */
export const rotating = { tags: ["rotating"] };
