/** Where control goes in the author's PTX: its branches stay in the text, which is entered at its beginning and left at its end. */
import { type Instruction, type Register, registersUsed } from "../ptx/parse/index.ts";

/** The instruction that a branch goes to; undefined of what is no branch to a label. */
function targetOf({ operands }: Instruction): number | undefined {
  const label = operands.find((o) => o?.kind === "label");
  return label?.kind === "label" && label.label.kind === "label" ? label.label.target : undefined;
}

/** Instructions that may follow one; their number stands for the end of the text. */
function followers(instructions: readonly Instruction[], at: number): readonly number[] {
  const i = instructions[at];
  const target = i && targetOf(i);
  if (target === undefined) return [at + 1];
  return i?.guard ? [target, at + 1] : [target];
}

export const isBackwards = (i: Instruction): boolean => (targetOf(i) ?? Number.POSITIVE_INFINITY) <= i.index;

/** Threads of a warp may part here: some go to the label, and others do not. */
export const mayPart = (i: Instruction): boolean =>
  targetOf(i) !== undefined && i.guard !== undefined && i.opcode.modifiers.uni !== "uni";

/** Is there a way from an instruction to the end of the text that misses all that `stops` names? */
export function reachesEnd(instructions: readonly Instruction[], from: number, stops: (i: Instruction) => boolean): boolean {
  const seen = new Set<number>();
  const work = [from];
  for (let at = work.pop(); at !== undefined; at = work.pop()) {
    const i = instructions[at];
    if (!i) return true;
    if (seen.has(at) || stops(i)) continue;
    seen.add(at);
    for (const next of followers(instructions, at)) work.push(next);
  }
  return false;
}

/** Where a run of instructions begins that only its first is entered at. */
export function blockStarts(instructions: readonly Instruction[]): ReadonlySet<number> {
  const starts = new Set([0]);
  instructions.forEach((i, at) => {
    const target = targetOf(i);
    if (target === undefined) return;
    starts.add(target);
    starts.add(at + 1);
  });
  return starts;
}

/** Registers that have a value: on some way to a place, and on every one. */
interface Written {
  readonly some: Set<Register>;
  readonly all: Set<Register>;
}

/** Adds what comes along another way; whether that changed anything. */
function meet(into: Written, from: Written): boolean {
  const [some, all] = [into.some.size, into.all.size];
  for (const register of from.some) into.some.add(register);
  for (const register of into.all) if (!from.all.has(register)) into.all.delete(register);
  return into.some.size !== some || into.all.size !== all;
}

export interface RegisterFlow {
  /** Reads of registers that nothing can have written, by the number of the instruction. */
  readonly early: ReadonlyMap<number, Register>;
  /** Registers that are read where some way to the place has not written them. */
  readonly unsure: ReadonlySet<Register>;
  /** At the end of the text; undefined where no way leads there. */
  readonly end: { readonly some: ReadonlySet<Register>; readonly all: ReadonlySet<Register> } | undefined;
}

/** What registers hold along the ways through a text. `known`: those that hold something from the beginning. */
export function registerFlow(instructions: readonly Instruction[], known: ReadonlySet<Register>): RegisterFlow {
  const starts = blockStarts(instructions);
  const uses = instructions.map(registersUsed);
  const at = new Map<number, Written>([[0, { some: new Set(known), all: new Set(known) }]]);
  /** Goes through the block from `start`, and tells what it reads; gives what is written behind it, and its last instruction. */
  const through = (start: number, read?: (i: number, register: Register, written: Written) => void) => {
    const before = at.get(start);
    const written: Written = { some: new Set(before?.some), all: new Set(before?.all) };
    let i = start;
    for (; i < instructions.length; i++) {
      for (const register of uses[i]?.reads ?? []) read?.(i, register, written);
      for (const register of uses[i]?.writes ?? []) {
        written.some.add(register);
        if (!instructions[i]?.guard) written.all.add(register);
      }
      if (starts.has(i + 1)) break;
    }
    return { written, last: Math.min(i, instructions.length - 1) };
  };
  const work = instructions.length > 0 ? [0] : [];
  for (let start = work.pop(); start !== undefined; start = work.pop()) {
    const { written, last } = through(start);
    for (const next of followers(instructions, last)) {
      const there = at.get(next);
      if (!there) at.set(next, { some: new Set(written.some), all: new Set(written.all) });
      else if (!meet(there, written)) continue;
      if (next < instructions.length) work.push(next);
    }
  }
  const early = new Map<number, Register>();
  const unsure = new Set<Register>();
  for (const start of at.keys()) {
    if (start >= instructions.length) continue;
    through(start, (i, register, { some, all }) => {
      if (!some.has(register)) early.set(i, early.get(i) ?? register);
      else if (!all.has(register)) unsure.add(register);
    });
  }
  return { early, unsure, end: at.get(instructions.length) };
}
