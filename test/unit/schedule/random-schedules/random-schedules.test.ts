import { expect, test } from "vitest";
import { createRandom, seedOf } from "../../../fuzz/random.ts";
import { isAsked, randomOnes } from "../../../support/amount.ts";
import { runSchedule } from "./run-schedule.ts";

/** `RUNS=2000 SEED=5`: so many, from the first on, by another seed. */
const { places, seed } = randomOnes(150, 6);
const runs = places.length;

test(`${runs} random schedules compute what their programs did (SEED=${seed})`, { timeout: 3_600_000 }, () => {
  const seen = new Map<string, { applied: number; refused: number }>();
  const failures: string[] = [];
  for (const i of places) {
    if (failures.length === 5) break;
    const failure = runSchedule(createRandom(seedOf(seed, `schedule ${i}`)), seen);
    if (failure !== undefined) failures.push(`schedule ${i}: ${failure}`);
  }
  if (isAsked) console.log(Object.fromEntries(seen));
  expect(failures.join("\n\n")).toBe("");
  if (runs >= 2000)
    for (const [kind, { applied }] of seen) expect(applied, `${kind} is applied at least once`).toBeGreaterThan(0);
});
