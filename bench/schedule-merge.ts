// Joins parts of a run of `bench/schedules.ts`, prints what they come to, and draws it:
//
//   node --import warpsmith/register bench/schedule-merge.ts <out.json> <part.json>…
//
// A case that is in several parts is taken from the last of them. Ratios are of one run each: a case has the times of its peers with it.
import { dirname } from "node:path";
import { methods } from "./methods.ts";
import { readRecord, writeRecord } from "./record.ts";
import { headerOf, headOf, type RunHeader } from "./record-head.ts";
import { drawSchedules } from "./schedule-draw.ts";
import { scheduleCase, scheduleEntry } from "./schedule-entry.ts";
import type { ScheduleCase } from "./schedule-measure.ts";
import { isLadder, ladderNames } from "./schedule-plans.ts";
import { ladderTable, summary } from "./schedule-report.ts";

interface Part extends RunHeader {
  readonly cases: readonly ScheduleCase[];
}

/** One record of several: they have to be of one device, and of the same versions of what they are compared with. */
export function merged(parts: readonly Part[]): Part {
  const [first] = parts;
  if (!first) throw new Error("there is nothing to join");
  for (const key of ["gpu", "driver", "cublasLt", "ptxas"] as const) {
    const other = parts.find((part) => part[key] !== first[key]);
    if (other) throw new Error(`the parts are not of one kind: ${key} is ${first[key]} in one, ${other[key]} in another`);
  }
  const cases = new Map(parts.flatMap((part) => part.cases.map((one) => [one.case, one] as const)));
  const groups = ["square", "fused", ...ladderNames];
  const ordered = [...cases.values()].toSorted(
    (x, y) =>
      groups.indexOf(x.group) - groups.indexOf(y.group) ||
      x.path.localeCompare(y.path) ||
      x.result.localeCompare(y.result) ||
      x.m - y.m,
  );
  return { ...first, cases: ordered };
}

if (process.argv[1] === import.meta.filename) {
  const [, , out, ...files] = process.argv;
  if (out === undefined || files.length === 0) throw new Error("name the file to write, and those to join");
  const parts = files.map(readRecord);
  const { cases, ...header } = merged(parts.map((part) => ({ ...headerOf(part), cases: part.entries.map(scheduleCase) })));
  // A note on one of the parts is one on the whole.
  const how = [...new Set([...methods.schedules.how, ...parts.flatMap((part) => part.how)])];
  writeRecord(out, { ...headOf(header, { ...methods.schedules, how }), entries: cases.map(scheduleEntry) });
  console.log(summary(cases));
  for (const one of cases) if (isLadder(one.path)) console.log(`\n${one.case}\n${ladderTable(one)}`);
  for (const line of await drawSchedules(cases, header, dirname(out))) console.log(line);
}
