/**
 * W9218: registers that are read though no definition reaches them on any path. Found when the kernel is first checked, over the
 * steps of the entry; reported when such a step runs. What may be defined counts as defined, and so does all that functions
 * which are called do; kernels with tables of branches are left alone.
 */

import type { Instruction, Register } from "../../../ptx/parse/index.ts";
import { readForm, traitsOf } from "../../../ptx/parse/index.ts";
import { type Executed, instructionsOf, type Listener } from "../../machine/monitor.ts";
import type { Program } from "../../program/program.ts";
import type { Step } from "../../program/step.ts";
import { hasTrait } from "../../program/traits.ts";
import type { CheckContext } from "./context.ts";
import { type BasicBlock, basicBlocks, flow } from "./flow.ts";
import { type RegisterUse, registerUse } from "./register-use.ts";

interface Missing {
  readonly at: number;
  readonly register: Register;
}

/** A bit for each register that the entry names. */
class Defined {
  readonly #numbers: ReadonlyMap<Register, number>;
  readonly #bits: Int32Array;

  constructor({ numbers }: Used, bits: Int32Array) {
    this.#numbers = numbers;
    this.#bits = bits;
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
}

/** `x ^ x` and `x - x` are what they are whatever x is. */
const cancels = ({ opcode, operands: [, a, b] }: Instruction): boolean =>
  (opcode.form === "xor" || opcode.form === "sub") && a !== undefined && a === b;

/** Reads D only where it is told to accumulate for sure. */
function readsAccumulator(i: Instruction): boolean {
  const scale = i.operands[readForm(i.opcode.form).operands.indexOf("p")];
  return traitsOf(i).async === "product" && scale?.kind === "int" && scale.value !== 0n;
}

/** Goes through a step; `missing` is told what is read undefined. */
function run({ uses }: Used, step: Step, defined: Defined, missing?: (found: Missing) => void): void {
  for (const i of instructionsOf(step)) {
    const { reads, writes } = uses.get(i) ?? registerUse(i);
    // What is made of something undefined is undefined, and no harm: compilers copy what nobody will look at.
    const copied = traitsOf(i).moves === true;
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

/** What each instruction uses, and a bit for each register. */
interface Used {
  readonly uses: ReadonlyMap<Instruction, RegisterUse>;
  readonly numbers: ReadonlyMap<Register, number>;
  /** Words of bits, and those at their beginning of registers that one block may leave to another: of most, none does. */
  readonly words: number;
  readonly carried: number;
}

const wordsFor = (bits: number): number => (bits + 31) >> 5;

function usedIn(blocks: readonly BasicBlock[]): Used {
  const uses = new Map<Instruction, RegisterUse>();
  const all = new Set<Register>();
  const carried = new Set<Register>();
  for (const block of blocks) {
    const written = new Set<Register>();
    for (const i of block.steps.flatMap(instructionsOf)) {
      const use = registerUse(i);
      uses.set(i, use);
      // Under a guard, and of the accumulator of wgmma, what was there before counts as well.
      const needed = i.guard || readsAccumulator(i) ? [...use.reads, ...use.writes] : use.reads;
      for (const r of needed) if (!written.has(r)) carried.add(r);
      for (const r of use.reads) all.add(r);
      for (const r of use.writes) all.add(r);
      if (!i.guard) for (const r of use.writes) written.add(r);
    }
  }
  const numbers = new Map<Register, number>();
  for (const r of carried) numbers.set(r, numbers.size);
  const first = 32 * wordsFor(carried.size);
  let others = 0;
  for (const r of all) if (!carried.has(r)) numbers.set(r, first + others++);
  return { uses, numbers, words: wordsFor(first + others), carried: wordsFor(carried.size) };
}

function findMissing(program: Program): ReadonlyMap<Executed, readonly Missing[]> {
  const found = new Map<Step, Missing[]>();
  if (hasTrait(program, "branchesByTable")) return found;
  const blocks = basicBlocks(program.steps);
  const used = usedIn(blocks);
  const { words, carried } = used;
  const before = flow(blocks, words, carried, (block, bits) => {
    const defined = new Defined(used, bits);
    for (const step of block.steps) run(used, step, defined);
  });
  blocks.forEach((block, at) => {
    const bits = new Int32Array(words);
    bits.set(before[at] ?? []);
    const defined = new Defined(used, bits);
    for (const step of block.steps) {
      const missing: Missing[] = [];
      run(used, step, defined, (one) => missing.push(one));
      if (missing.length > 0) found.set(step, missing);
    }
  });
  return found;
}

/** By program: a kernel is launched more than once. */
const known = new WeakMap<Program, ReadonlyMap<Executed, readonly Missing[]>>();

export function undefinedRegisters({ program, reports }: CheckContext): Listener {
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
