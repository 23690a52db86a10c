/** Of what is random, `npm run test:all` takes one in so many; TESTS=thorough takes all of it. */
const share = 4;

/** How many of many random things a test takes, such as programs: all of them, a share of them, or as few as `npm test` has time for. */
export function amount(all: number, quick: number): number {
  if (process.env.TESTS === "quick") return quick;
  return process.env.TESTS === "thorough" ? all : Math.max(quick, Math.ceil(all / share));
}

/** The list, or that many of it, evenly spread, where `npm test` has no time for all. */
export function some<T>(all: readonly T[], quick: number): readonly T[] {
  const count = process.env.TESTS === "quick" ? Math.min(quick, all.length) : all.length;
  return Array.from({ length: count }, (_, i) => all[Math.floor((i * all.length) / count)] as T);
}
