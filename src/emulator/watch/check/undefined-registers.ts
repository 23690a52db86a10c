/**
 * W9218: registers that are read though no definition reaches them on any path. Found when the kernel is first checked, over the
 * steps of the entry; reported when such a step runs. What may be defined counts as defined, and so does all that functions
 * which are called do; kernels with tables of branches are left alone.
 */
import { readForm } from "../../../ptx/isa/read/index.ts";
import type { Instruction, Register } from "../../../ptx/parse/tree.ts";
import { type Executed, instructionsOf, type Rule } from "../../machine/monitor.ts";
import type { Program } from "../../program/program.ts";
import type { Step } from "../../program/step.ts";
import type { CheckContext } from "./context.ts";
import { type RegisterUse, registerUse } from "./register-use.ts";

interface Missing {
  readonly at: number;
  readonly register: Register;
}

/** A bit for each register that the entry names. */
class Defined {
  readonly #numbers: ReadonlyMap<Register, number>;
  readonly #bits: Int32Array;

  constructor(numbers: ReadonlyMap<Register, number>, bits = new Int32Array((numbers.size + 31) >> 5)) {
    this.#numbers = numbers;
    this.#bits = bits;
  }

  copy(): Defined {
    return new Defined(this.#numbers, this.#bits.slice());
  }

  has(r: Register): boolean {
    const n = this.#numbers.get(r);
    return n === undefined || (((this.#bits[n >> 5] ?? 0) >>> (n & 31)) & 1) !== 0;
  }

  set(r: Register, to: boolean): void {
    const n = this.#numbers.get(r) ?? 0;
    const word = this.#bits[n >> 5] ?? 0;
    this.#bits[n >> 5] = to ? word | (1 << (n & 31)) : word & ~(1 << (n & 31));
  }

  /** Gives whether there is more than before. */
  join(other: Defined): boolean {
    let more = false;
    for (let i = 0; i < this.#bits.length; i++) {
      const [own, added] = [this.#bits[i] ?? 0, other.#bits[i] ?? 0];
      if ((added & ~own) === 0) continue;
      this.#bits[i] = own | added;
      more = true;
    }
    return more;
  }
}

/** What they make of something undefined is undefined, and no harm: compilers copy what nobody will look at. */
const copies: ReadonlySet<string> = new Set(["mov", "mov.pack", "mov.unpack", "selp", "shfl", "prmt", "cvt"]);

/** Of the steps that control can go to. */
function successors(step: Step, at: number): readonly number[] {
  if (step.kind === "segment" || step.kind === "operation") return [at + 1];
  const on = step.guard ? [at + 1] : [];
  if (step.kind === "branch") return [step.target, ...on];
  if (step.kind === "jump" && step.instruction.opcode.form === "call") return [at + 1];
  return on;
}

/** `x ^ x` and `x - x` are what they are whatever x is. */
const cancels = ({ opcode, operands: [, a, b] }: Instruction): boolean =>
  (opcode.form === "xor" || opcode.form === "sub") && a !== undefined && a === b;

/** Reads D only where it is told to accumulate for sure. */
function readsAccumulator(i: Instruction): boolean {
  const scale = i.operands[3];
  return readForm(i.opcode.form).async === "product" && scale?.kind === "int" && scale.value !== 0n;
}

/** Goes through a step; `missing` is told what is read undefined. */
function run(uses: Uses, step: Step, defined: Defined, missing?: (found: Missing) => void): void {
  for (const i of instructionsOf(step)) {
    const { reads, writes } = uses(i);
    const copied = copies.has(i.opcode.form);
    if (missing && !copied && !cancels(i)) {
      const read = readsAccumulator(i) ? [...reads, ...writes] : reads;
      const register = read.find((r) => !defined.has(r));
      // Whether a guard lets it run is not known here.
      const certain = !i.guard || step.kind !== "segment" || register === i.guard.register;
      if (register && certain) missing({ at: i.index, register });
    }
    const sources = i.guard ? reads.slice(1) : reads;
    const known = !copied || sources.length === 0 || sources.some((r) => defined.has(r));
    for (const r of writes) if (known || !i.guard) defined.set(r, known);
  }
}

/** What each instruction uses, and a number for each register. */
type Uses = (i: Instruction) => RegisterUse;

function usesOf(steps: readonly Step[]): { readonly uses: Uses; readonly numbers: ReadonlyMap<Register, number> } {
  const byInstruction = new Map<Instruction, RegisterUse>();
  const numbers = new Map<Register, number>();
  for (const i of steps.flatMap(instructionsOf)) {
    const use = registerUse(i);
    byInstruction.set(i, use);
    for (const r of [...use.reads, ...use.writes]) if (!numbers.has(r)) numbers.set(r, numbers.size);
  }
  return { uses: (i) => byInstruction.get(i) ?? registerUse(i), numbers };
}

/** What may be defined before each step that the entry can come to. */
function flow(steps: readonly Step[], uses: Uses, first: Defined): ReadonlyMap<number, Defined> {
  const before = new Map<number, Defined>([[0, first]]);
  const work = [0];
  for (let at = work.pop(); at !== undefined; at = work.pop()) {
    const [step, defined] = [steps[at], before.get(at)];
    if (!step || !defined) continue;
    const after = defined.copy();
    run(uses, step, after);
    for (const next of successors(step, at)) {
      const known = before.get(next);
      if (!known) before.set(next, after.copy());
      if (!known || known.join(after)) work.push(next);
    }
  }
  return before;
}

function findMissing({ steps }: Program): ReadonlyMap<Executed, readonly Missing[]> {
  const found = new Map<Step, Missing[]>();
  if (steps.some((step) => step.instruction.opcode.form === "brx.idx")) return found;
  const { uses, numbers } = usesOf(steps);
  for (const [at, defined] of flow(steps, uses, new Defined(numbers))) {
    const step = steps[at];
    if (!step) continue;
    const missing: Missing[] = [];
    run(uses, step, defined.copy(), (one) => missing.push(one));
    if (missing.length > 0) found.set(step, missing);
  }
  return found;
}

/** By program: a kernel is launched more than once. */
const known = new WeakMap<Program, ReadonlyMap<Executed, readonly Missing[]>>();

export function undefinedRegisters({ program, reports }: CheckContext): Rule {
  const missing = known.get(program) ?? findMissing(program);
  known.set(program, missing);
  if (missing.size === 0) return {};
  return {
    step(_warp, _mask, step) {
      for (const { at, register } of missing.get(step) ?? []) {
        reports.add("W9218", { kernel: program.name, register: register.name }, at);
      }
    },
  };
}
