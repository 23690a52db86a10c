import { rotations, takes, turns } from "./rotation.ts";

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

/** How many of many random things a test takes, such as programs or sizes. */
export function amount(all: number, quick: number): number {
  if (extent === "quick") return quick;
  if (extent === "thorough") return all;
  return Math.max(quick, Math.ceil(all / share / (extent === "sixth" ? turns : 1)));
}

/** As many seeds as `amount` says, from `first` on. Each sixth has seeds of its own. */
export function seeds(first: number, all: number, quick: number): readonly number[] {
  const count = amount(all, quick);
  const skipped = extent === "sixth" ? (rotations()[0] ?? 0) * count : 0;
  return Array.from({ length: count }, (_, i) => first + skipped + i);
}

/** The items at `count` places of a list that lie evenly spread; for a sixth of the tests one sixth of the others, too; else all. */
export function some<T>(all: readonly T[], count: number): readonly T[] {
  if (extent === "all" || extent === "thorough") return all;
  const always = new Set(Array.from({ length: Math.min(count, all.length) }, (_, i) => Math.floor((i * all.length) / count)));
  return all.filter((_, i) => always.has(i) || (extent === "sixth" && takes(i)));
}

/** The options of a test or suite that `npm test` leaves out: what it holds is asked once elsewhere, or it takes seconds. */
export const rotating = { tags: ["rotating"] };
