/** The instructions of functions as steps: straight lines as compiled segments, everything else one by one. */

import { type Instruction, type PtxFunction, type Register, spaceNamed, traitsOf } from "../../ptx/parse/index.ts";
import { fail } from "../errors/index.ts";
import type { Warp } from "../machine/warp.ts";
import { type Calling, callStep, type Functions, returnStep, tableStep } from "./calls/call-steps.ts";
import type { Party } from "./calls/value-location.ts";
import { buildSegments, isLaneInstruction, type Segment, type Written, writeSegment } from "./codegen/index.ts";
import { keptRegisters } from "./codegen/kept-registers.ts";
import { Unsupported } from "./codegen/unsupported.ts";
import { communicates, isSharedAccess, readsClock } from "./communicates.ts";
import { guardMask, type Operating } from "./operands.ts";
import { isNothing, operationStep } from "./operations/index.ts";
import type { Operation, OperationStep, SegmentStep, Step } from "./step.ts";

/** A function to make steps of. */
export interface Routine {
  readonly party: Party;
  readonly operating: Operating;
  /** Numbered throughout the program. */
  readonly instructions: readonly Instruction[];
  /** Told which step is its first. */
  readonly begins: (step: number) => void;
}

interface Making {
  readonly kernel: string;
  readonly functions: Functions;
  readonly steps: Step[];
  readonly texts: string[];
  readonly segments: SegmentStep[];
}

const longest = 200;
/** Others see stores and reductions; of atomics they see what changes. */
const isSeen = (i: Instruction): boolean => isSharedAccess(i) && ["store", "reduction"].includes(traitsOf(i).access ?? "");
/** What is left behind of which registers show nothing, nor others see. */
const isHidden = (i: Instruction): boolean => {
  const { access, stack } = traitsOf(i);
  return (access === "store" && !isSharedAccess(i)) || stack === true || readsClock(i);
};

/** All steps, one function after the other. W9002, W9005. */
export function makeSteps(routines: readonly Routine[], functions: Functions, kernel: string): readonly Step[] {
  const m: Making = { kernel, functions, steps: [], texts: [], segments: [] };
  for (const routine of routines) addRoutine(m, routine);
  const built = buildSegments(
    m.texts,
    m.segments.map((_, i) => `s${i}`),
  );
  const ordered = routines.some((routine) => routine.operating.ordered);
  m.segments.forEach((step, i) => {
    const run = built[i] ?? step.run;
    step.run = ordered && communicates(step.instruction) ? inTurn(run) : run;
  });
  return m.steps;
}

/** When all clusters before have ended. */
const inTurn =
  <A extends unknown[], R>(run: (warp: Warp, ...rest: A) => R) =>
  (warp: Warp, ...rest: A): R => {
    warp.block.launch.awaitTurn?.(warp.block.cluster);
    return run(warp, ...rest);
  };

const labelsOf = ({ body }: PtxFunction) => body?.statements.filter((s) => s.kind === "label") ?? [];

function addRoutine(m: Making, { party, operating, instructions, begins }: Routine): void {
  const { steps, kernel, segments } = m;
  const targets = new Set(labelsOf(party.fn).map((label) => label.target));
  /** Step of each instruction that begins one. */
  const first = new Map<number, number>();
  const stepAt = (instruction: number): number => first.get(instruction) ?? steps.length;
  const calling: Calling = { operating, party, functions: m.functions, stepAt };
  begins(steps.length);
  const from = steps.length;
  const written: Written[] = [];
  for (let at = 0; at < instructions.length; ) {
    first.set(at, steps.length);
    const run = straightLine(instructions, at, targets, operating);
    const instruction = instructions[at] as Instruction;
    if (run.length > 0) {
      const write = (careful: boolean): Written => writeSegment(run, operating, (i, one) => attempt(i, kernel, one), careful);
      const step = segmentStep(run, () => write(true).finish("s", isKept));
      written.push(write(false));
      segments.push(step);
      steps.push(step);
      at += run.length;
    } else {
      if (!isNothing(operating, instruction)) steps.push(attempt(instruction, kernel, () => singleStep(calling, instruction)));
      at += 1;
    }
  }
  first.set(instructions.length, steps.length);
  const kept = keptRegisters(
    written,
    steps.slice(from).flatMap((step) => (step.kind === "segment" ? [] : [step.instruction])),
  );
  // Of functions, calls and returns know registers that no instruction names.
  const isKept = (r: Register): boolean => !party.fn.entry || kept.has(r);
  for (const segment of written) m.texts.push(segment.finish(`s${m.texts.length}`, isKept));
  // Targets of branches were instructions; fences have no steps.
  for (const step of steps.slice(from)) if (step.kind === "branch") step.target = stepAt(step.target);
}

/** What a run of instructions does to memory that lanes share. */
class SharedAccesses {
  /** Spaces that it reads, and writes. A generic address may be in any. */
  readonly #read = new Set<string>();
  readonly #written = new Set<string>();

  /** Whether the next one may touch what another lane has touched by an earlier one, and one of the two writes. */
  meets(i: Instruction): boolean {
    if (!isSharedAccess(i)) return false;
    const space = spaceNamed(i.opcode.modifiers.space);
    const isIn = (spaces: ReadonlySet<string>): boolean =>
      spaces.size > 0 && (space === "generic" || spaces.has("generic") || spaces.has(space));
    return isIn(this.#written) || (traitsOf(i).access !== "load" && isIn(this.#read));
  }

  add(i: Instruction): void {
    if (!isSharedAccess(i)) return;
    const space = spaceNamed(i.opcode.modifiers.space);
    const { access } = traitsOf(i);
    if (access !== "store") this.#read.add(space);
    if (access !== "load") this.#written.add(space);
  }
}

/**
 * The instructions from one on that concern each lane by itself, up to the next place that something jumps to; `fine`: or to the next
 * access to memory that others may share. `ordered`: those through which blocks can tell each other something stand alone.
 */
function straightLine(
  instructions: readonly Instruction[],
  from: number,
  targets: ReadonlySet<number>,
  { fine, ordered }: Operating,
): readonly Instruction[] {
  const run: Instruction[] = [];
  const shared = new SharedAccesses();
  for (let at = from; at < instructions.length && run.length < longest; at++) {
    const i = instructions[at];
    if (!i || !isLaneInstruction(i) || (at > from && targets.has(at))) break;
    const apart = ordered && communicates(i);
    if ((apart || shared.meets(i)) && run.length > 0) break;
    run.push(i);
    shared.add(i);
    if (apart) break;
    if (fine && isSharedAccess(i)) break;
  }
  return run;
}

/** `careful`: its text, for those few of which it is asked. */
function segmentStep(run: readonly Instruction[], careful: () => string): SegmentStep {
  let made: Segment | undefined;
  const step: SegmentStep = {
    kind: "segment",
    instructions: run,
    instruction: run[0] as Instruction,
    run: () => {},
    effect: run.some(isSeen),
    careful(warp, mask) {
      made ??= step.effect ? buildSegments([careful()], ["s"])[0] : step.run;
      made?.(warp, mask);
    },
    hidden: run.some(isHidden),
  };
  return step;
}

const exitStep = (c: Calling, instruction: Instruction): Step => ({
  kind: "exit",
  instruction,
  guard: guardMask(c.operating, instruction),
});

function singleStep(c: Calling, instruction: Instruction): Step {
  const { form, text } = instruction.opcode;
  switch (form) {
    case "exit":
      return exitStep(c, instruction);
    case "ret":
      return c.party.fn.entry ? exitStep(c, instruction) : returnStep(c, instruction);
    case "call":
      return callStep(c, instruction);
    case "brx.idx":
      return tableStep(c, instruction);
    case "bra": {
      const [to] = instruction.operands;
      if (to?.kind !== "label" || to.label.kind !== "label") throw new Unsupported(text);
      return { kind: "branch", instruction, guard: guardMask(c.operating, instruction), target: to.label.target };
    }
    default:
      return orderedStep(c, operationStep(c.operating, instruction));
  }
}

function orderedStep({ operating }: Calling, step: OperationStep): OperationStep {
  if (!operating.ordered || !communicates(step.instruction)) return step;
  const run: Operation = Object.assign(inTurn(step.run), step.run);
  return { ...step, run };
}

function attempt<T>(i: Instruction, kernel: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    return fail("W9002", { kernel, instruction: i.opcode.text, what: error.message, line: i.line });
  }
}
