import { allRotate, rotations, turns } from "./rotation.ts";

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

/** What of lists and of what is random one run takes: `sixths` says which sixths, the run's own first. Where the tests of a file rotate, its lists do not. */
export function takenBy(of: Extent, sixths: () => readonly number[], testsRotate = (): boolean => false) {
  const isAll = of === "all" || of === "thorough";
  function amount(all: number, quick: number): number {
    if (of === "quick") return quick;
    if (of === "thorough") return all;
    return Math.max(quick, Math.ceil(all / share / (of === "sixth" ? turns : 1)));
  }
  function seeds(first: number, all: number, quick: number): readonly number[] {
    const count = amount(all, quick);
    const skipped = of === "sixth" ? (sixths()[0] ?? 0) * count : 0;
    return Array.from({ length: count }, (_, i) => first + skipped + i);
  }
  function some<T>(all: readonly T[], count: number): readonly T[] {
    if (isAll || (of === "sixth" && testsRotate())) return all;
    const few = Math.min(count, all.length);
    const always = new Set(Array.from({ length: few }, (_, i) => Math.floor((i * all.length) / few)));
    return all.filter((_, i) => always.has(i) || (of === "sixth" && sixths().includes(i % turns)));
  }
  return { amount, seeds, some };
}

const taken = takenBy(extent, rotations, allRotate);

/** How many of many random things a test takes, such as programs or sizes. */
export const amount: (all: number, quick: number) => number = taken.amount;

/** As many seeds as `amount` says, from `first` on. Each sixth has seeds of its own. */
export const seeds: (first: number, all: number, quick: number) => readonly number[] = taken.seeds;

/** The items at `count` places of a list that lie evenly spread; for a sixth of the tests one sixth of the others, too; else all. */
export const some: <T>(all: readonly T[], count: number) => readonly T[] = taken.some;

/** The options of a test or suite that `npm test` leaves out: what it holds is asked once elsewhere, or it takes seconds. */
export const rotating = { tags: ["rotating"] };
