/**
 * What a program does as a whole, by the traits of its instructions and the ways between its steps. Each question is answered when it is first
 * asked, once for a program.
 */
import { type Instruction, traitsOf } from "../../ptx/parse/index.ts";
import { instructionsOf } from "../machine/monitor.ts";
import { communicates, hears, readsClock, usesHeap } from "./communicates.ts";
import { mayEndWell, repeats } from "./paths.ts";
import type { Program } from "./program.ts";

type Is = (i: Instruction) => boolean;
const has =
  (is: Is) =>
  ({ instructions }: Program): boolean =>
    instructions.some(is);
/** In a step from which control goes on like that. */
const hasWhere =
  (is: Is, goes: typeof repeats) =>
  ({ steps }: Program): boolean =>
    steps.some((step, at) => instructionsOf(step).some(is) && goes(steps, at));

const questions = {
  /** It has loops that read, by strong loads or atomics, what other blocks may write meanwhile. */
  pollsBlocks: hasWhere((i) => communicates(i) && hears(i), repeats),
  /** Clusters or launches depend on each other in a run that ends well. An assertion that fails may write what others read. */
  communicates: hasWhere((i) => communicates(i) || traitsOf(i).crossesClusters === true, mayEndWell),
  /** It reads what each read or call changes, on whatever thread: a clock, the heap. */
  readsCounters: has((i) => readsClock(i) || usesHeap(i)),
  usesMbarriers: has((i) => traitsOf(i).barrier === "mbarrier"),
  changesRegisters: has((i) => i.opcode.form === "setmaxnreg"),
  branchesByTable: has((i) => i.opcode.form === "brx.idx"),
  /** The PTX names lines of a source. */
  namesLines: has((i) => i.loc !== undefined),
};
export type ProgramTrait = keyof typeof questions;

const answers = new WeakMap<Program, Partial<Record<ProgramTrait, boolean>>>();

export function hasTrait(program: Program, trait: ProgramTrait): boolean {
  const known = answers.get(program) ?? {};
  answers.set(program, known);
  known[trait] ??= questions[trait](program);
  return known[trait];
}

/**
 * Whether the clusters of a launch may run side by side. Not where one may wait for another: where it reads again and again what others
 * write.
 */
export const maySpread = (program: Program): boolean => !hasTrait(program, "readsCounters") && !hasTrait(program, "pollsBlocks");
