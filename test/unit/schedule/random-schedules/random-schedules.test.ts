import { expect, test } from "vitest";
import { createRandom, seedOf } from "../../../fuzz/random.ts";
import { amount } from "../../../support/amount.ts";
import { runSchedule } from "./run-schedule.ts";

const runs = Number(process.env.RUNS ?? amount(150, 6));
const seed = Number(process.env.SEED ?? 1);

test(`${runs} random schedules compute what their programs did (SEED=${seed})`, { timeout: 3_600_000 }, () => {
  const seen = new Map<string, { applied: number; refused: number }>();
  const failures: string[] = [];
  for (let i = 0; i < runs && failures.length < 5; i++) {
    const failure = runSchedule(createRandom(seedOf(seed, `schedule ${i}`)), seen);
    if (failure !== undefined) failures.push(`schedule ${i}: ${failure}`);
  }
  if (process.env.RUNS) console.log(Object.fromEntries(seen));
  expect(failures.join("\n\n")).toBe("");
  if (runs >= 2000)
    for (const [kind, { applied }] of seen) expect(applied, `${kind} is applied at least once`).toBeGreaterThan(0);
});
