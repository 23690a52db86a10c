/** A kernel made ready to run: steps, and what they need to know of memory. */
import { fail, noSpans, type Span, type Spans } from "../diag/index.ts";
import { type Instruction, type Label, type PtxFunction, type PtxTree, parsePtx } from "../ptx/parse/index.ts";
import { buildSegments, isLaneInstruction, writeSegment } from "./codegen/index.ts";
import { layoutRegisters, type RegisterLayout } from "./codegen/layout.ts";
import { Unsupported } from "./codegen/unsupported.ts";
import type { GlobalMemory } from "./memory.ts";
import { guardMask, type Operating } from "./operands.ts";
import { isNothing, operationStep } from "./operations/index.ts";
import type { SegmentStep, Step } from "./step.ts";
import { placeVariables } from "./variables.ts";

export interface Parameter {
  readonly offset: number;
  readonly bytes: number;
}

export interface Program {
  readonly name: string;
  readonly steps: readonly Step[];
  readonly instructions: readonly Instruction[];
  readonly layout: RegisterLayout;
  readonly parameters: readonly Parameter[];
  readonly parameterBytes: number;
  /** Of a thread. */
  readonly localBytes: number;
  readonly staticSharedBytes: number;
  /** Where dynamic shared memory begins, from the beginning of the block's. */
  readonly dynamicSharedOffset: number;
  /** Registers of 32 bits that a thread has. */
  readonly registers: number;
  readonly directives: PtxFunction["directives"];
  /** Where the author wrote an instruction. */
  placeOf(index: number): Spans;
}

const longest = 200;
const memoryForms = /^(st|atom|red)/;

/** Reads a module and prepares one of its kernels; `watched`: for launches with a monitor. W8006, W9002, and what the reader finds. */
export function loadProgram(ptx: string, entry: string, kernel: string, global: GlobalMemory, watched: boolean): Program {
  const tree = parsePtx(ptx, `${kernel}.ptx`);
  const found = tree.functions.find((f) => f.entry && f.name === entry && f.body);
  if (!found?.body) return fail("W8006", { kernel, reason: `it has no entry ${entry}`, log: "" });
  const { instructions } = found.body;
  const variables = placeVariables(tree, found, global);
  const layout = layoutRegisters(found.body.registers);
  const c: Operating = { layout, symbols: { address: variables.address }, watched };
  const steps = makeSteps(
    c,
    instructions,
    found.body.statements.filter((s) => s.kind === "label"),
    kernel,
  );
  return {
    name: kernel,
    steps,
    instructions,
    layout,
    ...variables,
    registers: layout.words / 32,
    directives: found.directives,
    placeOf: (index) => placesOf(tree, instructions[index]),
  };
}

function placesOf(tree: PtxTree, i: Instruction | undefined): Spans {
  const loc = i?.loc;
  const path = tree.files.find((file) => file.number === loc?.file)?.path;
  if (!loc || path === undefined) return noSpans;
  const span: Span = { file: path, line: loc.line, column: loc.column, length: 1 };
  return [span];
}

function makeSteps(
  c: Operating,
  instructions: readonly Instruction[],
  labels: readonly Label[],
  kernel: string,
): readonly Step[] {
  const targets = new Set(labels.map((label) => label.target));
  const steps: Step[] = [];
  /** Step of each instruction that begins one. */
  const first = new Map<number, number>();
  const texts: string[] = [];
  const segments: SegmentStep[] = [];
  for (let at = 0; at < instructions.length; ) {
    first.set(at, steps.length);
    const run = straightLine(instructions, at, targets);
    const instruction = instructions[at] as Instruction;
    if (run.length > 0) {
      const step = segmentStep(run);
      texts.push(writeSegment(`s${segments.length}`, run, c, (i, write) => attempt(i, kernel, write)));
      segments.push(step);
      steps.push(step);
      at += run.length;
    } else {
      if (!isNothing(c, instruction)) steps.push(attempt(instruction, kernel, () => singleStep(c, instruction)));
      at += 1;
    }
  }
  first.set(instructions.length, steps.length);
  link(steps, first);
  const functions = buildSegments(
    texts,
    segments.map((_, i) => `s${i}`),
  );
  segments.forEach((step, i) => {
    step.run = functions[i] ?? step.run;
  });
  return steps;
}

/** The instructions from one on that concern each lane by itself, up to the next place that something jumps to. */
function straightLine(instructions: readonly Instruction[], from: number, targets: ReadonlySet<number>): readonly Instruction[] {
  const run: Instruction[] = [];
  for (let at = from; at < instructions.length && run.length < longest; at++) {
    const i = instructions[at];
    if (!i || !isLaneInstruction(i) || (at > from && targets.has(at))) break;
    run.push(i);
  }
  return run;
}

const segmentStep = (run: readonly Instruction[]): SegmentStep => ({
  kind: "segment",
  instructions: run,
  instruction: run[0] as Instruction,
  run: () => {},
  effect: run.some((i) => memoryForms.test(i.opcode.form)),
});

function singleStep(c: Operating, instruction: Instruction): Step {
  const { form, text } = instruction.opcode;
  const guard = guardMask(c, instruction);
  if (form === "exit" || form === "ret") return { kind: "exit", instruction, guard };
  if (form !== "bra") return operationStep(c, instruction);
  const [to] = instruction.operands;
  if (to?.kind !== "label" || to.label.kind !== "label") throw new Unsupported(text);
  return { kind: "branch", instruction, guard, target: to.label.target };
}

/** Turns targets of branches from instructions into steps: fences have none. */
function link(steps: readonly Step[], first: ReadonlyMap<number, number>): void {
  for (const step of steps) if (step.kind === "branch") step.target = first.get(step.target) ?? steps.length;
}

function attempt<T>(i: Instruction, kernel: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    return fail("W9002", { kernel, instruction: i.opcode.text, what: error.message, line: i.line });
  }
}
