/** One random schedule: each step is refused with a reason, or the program after it computes the same, and prints as what makes it. */
import { WarpsmithError } from "../../../../src/base/diag/index.ts";
import { type FlatArray, interpret } from "../../../../src/schedule/ir/interpret.ts";
import { printProgram } from "../../../../src/schedule/ir/print.ts";
import type { Program } from "../../../../src/schedule/ir/types.ts";
import { checkProgram } from "../../../../src/schedule/ir/verify.ts";
import { Schedule } from "../../../../src/schedule/schedule.ts";
import type { Random } from "../../../fuzz/random.ts";
import { programOf } from "../../../schedule/program-of.ts";
import { type Kind, opening, randomStep, type Told } from "./random-step.ts";
import { arraysOf, type Subject, subject } from "./subjects.ts";

export type Seen = Map<string, { applied: number; refused: number }>;

function difference(s: Subject, wanted: Readonly<Record<string, FlatArray>>, p: Program): string | undefined {
  const got = arraysOf(s);
  try {
    checkProgram(p);
    interpret(p, got);
  } catch (e) {
    return e instanceof Error ? e.message : String(e);
  }
  for (const [name, array] of Object.entries(wanted)) {
    const other = got[name];
    const at = array.findIndex((x: number, i: number) => !(Math.abs(x - (other?.[i] ?? NaN)) <= s.tolerance * Math.abs(x)));
    if (at >= 0) return `${name}[${at}] is ${other?.[at]}, not ${array[at]}`;
  }
  return undefined;
}

function roundTrip(p: Program): string | undefined {
  const text = printProgram(p);
  try {
    const again = printProgram(programOf(text));
    return again === text ? undefined : `prints otherwise after it was traced again:\n${again}`;
  } catch (e) {
    return `what it prints is no program: ${e instanceof Error ? e.message : String(e)}`;
  }
}

const tell = (s: Subject, steps: readonly Told[], before: Program, after: Program | undefined, why: string): string =>
  [
    `${s.name}: ${why}`,
    ...steps.map((t) => `  ${t.kind}(${t.args})`),
    "before:",
    printProgram(before),
    "after:",
    after ? printProgram(after) : "none",
  ].join("\n");

/** What is wrong with a random schedule; undefined where all is well. */
export function runSchedule(random: Random, seen: Seen): string | undefined {
  const s = subject(random);
  const wanted = arraysOf(s);
  interpret(s.program, wanted);
  const schedule = new Schedule(s.program);
  const told: Told[] = [];
  const count = random.between(2, 12);
  const open = random.chance(0.5);
  for (let i = 0; i < count; i++) {
    const before = schedule.program;
    let step: Told | undefined;
    const entry = (kind: Kind): { applied: number; refused: number } => {
      const known = seen.get(kind) ?? { applied: 0, refused: 0 };
      seen.set(kind, known);
      return known;
    };
    const hear = (t: Told): void => {
      if (step) {
        entry(step.kind).applied += 1;
        told.push(step);
      }
      step = t;
    };
    try {
      if (open && i === 0) opening(schedule, random, hear);
      else randomStep(schedule, random, hear);
    } catch (e) {
      if (step) entry(step.kind).refused += 1;
      if (e instanceof WarpsmithError && /^W55\d\d$/.test(e.code) && e.code !== "W5522") {
        if (schedule.program !== before && !(open && i === 0))
          return tell(s, step ? [...told, step] : told, before, schedule.program, "a refused step has changed the program");
        if (schedule.program === before) continue;
        step = undefined;
      } else
        return tell(s, step ? [...told, step] : told, before, undefined, e instanceof Error ? (e.stack ?? e.message) : String(e));
    }
    if (step) {
      entry(step.kind).applied += 1;
      told.push(step);
    }
    if (schedule.program === before) continue;
    const wrong = difference(s, wanted, schedule.program);
    if (wrong !== undefined) return tell(s, told, before, schedule.program, wrong);
  }
  // Tracing takes longer than all the rest.
  const trip = random.chance(0.25) ? roundTrip(schedule.program) : undefined;
  return trip === undefined ? undefined : tell(s, told, s.program, schedule.program, trip);
}
