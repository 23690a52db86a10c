import { given, numberIn, numbersIn, parametersOf, peersOf, timesOf } from "./entry.ts";
import type { Entry } from "./record.ts";
import type { ScheduleCase } from "./schedule-measure.ts";

/** A case of `bench/schedules.ts` as an entry of a record. */
export function scheduleEntry(one: ScheduleCase): Entry {
  const { case: name, group, plan, sum, us, tflops, peers, plans, correct, relative, spread, notes, skipped, ...of } = one;
  const left = Object.keys(skipped).filter((who) => who.startsWith("cublasLt"));
  return {
    ...{ group, case: name, of: { ...of, ...(plan === null ? {} : { plan }), ...(sum === null ? {} : { sum }) } },
    ...{ us, peers: peersOf(peers, left), correct },
    ...given({ spread }),
    figures: { tflops, ...given({ plans, relative }) },
    ...given({ notes, skipped }),
  };
}

/** The case of an entry that `scheduleEntry` has made. */
export function scheduleCase(entry: Entry): ScheduleCase {
  const kinds = {
    path: "string",
    dtype: "string",
    result: "string",
    layout: "string",
    m: "number",
    n: "number",
    k: "number",
    work: "string",
  } as const;
  parametersOf(entry, kinds);
  const { figures = {}, spread = {}, notes = {}, skipped = {} } = entry;
  return {
    ...{ plan: null, sum: null, ...entry.of, case: entry.case, group: entry.group },
    ...{ us: entry.us, tflops: numberIn(figures.tflops), peers: timesOf(entry), plans: numbersIn(figures.plans) },
    ...{ correct: entry.correct, relative: numbersIn(figures.relative), spread, notes, skipped },
  } as ScheduleCase;
}
