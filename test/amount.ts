/** How many of many a test takes, such as random programs: all of them, or as few as `npm test` has time for. */
export const amount = (all: number, quick: number): number => (process.env.TESTS === "quick" ? quick : all);
