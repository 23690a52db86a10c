import type { Schedule } from "../../src/emulator/index.ts";

/** Schedules in the order of how little they disturb. */
export const schedulesUpTo = (seeds: number): readonly Schedule[] => [
  "eager",
  "lazy",
  "torn",
  ...Array.from({ length: seeds }, (_, i) => i + 1),
];

/** Runs something under each schedule; gives those under which it did not hold. */
export async function hunt(holds: (schedule: Schedule) => Promise<boolean>, seeds: number): Promise<readonly Schedule[]> {
  const failing: Schedule[] = [];
  for (const schedule of schedulesUpTo(seeds)) if (!(await holds(schedule))) failing.push(schedule);
  return failing;
}
