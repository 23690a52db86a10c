/** How many of many a test takes, such as random programs: all of them, or as few as `npm test` has time for. */
export const amount = (all: number, quick: number): number => (process.env.TESTS === "quick" ? quick : all);

/** The list, or that many of it, evenly spread, where `npm test` has no time for all. */
export function some<T>(all: readonly T[], quick: number): readonly T[] {
  const count = amount(all.length, Math.min(quick, all.length));
  return Array.from({ length: count }, (_, i) => all[Math.floor((i * all.length) / count)] as T);
}
