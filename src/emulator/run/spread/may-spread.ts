/** Which kernels may run on several threads at a time. */
import type { Instruction } from "../../../ptx/parse/index.ts";
import { instructionsOf } from "../../machine/monitor.ts";
import { communicates, hears, readsClock, usesHeap } from "../../program/communicates.ts";
import { repeats } from "../../program/paths.ts";
import type { Program } from "../../program/program.ts";

/** Their answers depend on what has run before, on whatever thread. */
const isCounted = (i: Instruction): boolean => readsClock(i) || usesHeap(i);

/**
 * Whether the clusters of a kernel may run side by side. Not where one may wait for another: where it reads again and again what
 * others write.
 */
export function maySpread(program: Program): boolean {
  const known = answers.get(program) ?? mayRunApart(program);
  answers.set(program, known);
  return known;
}

const answers = new WeakMap<Program, boolean>();

const mayRunApart = (program: Program): boolean => !program.instructions.some(isCounted) && !listens(program);

/** Whether a kernel has loops that read, by strong loads or atomics, what other blocks may write meanwhile. */
export function listens(program: Program): boolean {
  const known = listening.get(program) ?? hearsAgain(program);
  listening.set(program, known);
  return known;
}

const listening = new WeakMap<Program, boolean>();

const hearsAgain = ({ steps }: Program): boolean =>
  steps.some((step, at) => instructionsOf(step).some((i) => communicates(i) && hears(i)) && repeats(steps, at));
