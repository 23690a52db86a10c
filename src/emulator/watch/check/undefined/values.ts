/**
 * Registers of lanes that hold undefined bits: what loads of memory have brought that nothing has written, what shuffles take of lanes that
 * are not there, and what was made of it. Such
 * bits are told of where something depends on them: a branch, an address, memory that others can read, what the lanes of a warp do
 * together.
 *
 * A segment is followed when one of its accesses or the next step is told of; a lane without undefined bits costs nothing.
 */

import type { Instruction, Operand, Register, Scalar } from "../../../../ptx/parse/index.ts";
import { b32, registersOf, spaceNamed, traitsOf } from "../../../../ptx/parse/index.ts";
import { type Executed, instructionsOf } from "../../../machine/events.ts";
import { forEachLane } from "../../../machine/lanes.ts";
import type { Warp } from "../../../machine/warp.ts";
import { type Choice, choicesOf } from "../../../program/codegen/choices.ts";
import type { Program } from "../../../program/program.ts";
import { type Constants, constantsOf } from "../constants.ts";
import { registerUse } from "../register-use.ts";
import { extended, type Sources, undefinedResults, widthOf } from "./bits.ts";

/** The load that they come from, or the shuffle. */
export interface Origin {
  /** Index of the instruction. */
  readonly at: number;
  /** Tells of it. `by`: what depends on it. */
  report(by: Instruction): void;
}

interface Undefined {
  readonly bits: bigint;
  readonly origin: Origin;
}

/** What a choice of an instruction of the segment that ran last was in the lane. */
type Holds = (i: Instruction, choice: Choice) => boolean;

/** The undefined registers of one lane. */
class LaneValues implements Sources {
  readonly #values = new Map<Register, Undefined>();
  readonly #constants: Constants;
  readonly #holds: Holds;
  /** Of the segment that runs: what has not been followed. */
  next = 0;
  end = 0;

  constructor(constants: Constants, holds: Holds) {
    this.#constants = constants;
    this.#holds = holds;
  }

  get empty(): boolean {
    return this.#values.size === 0;
  }

  undefinedIn(register: Register): bigint {
    return this.#values.get(register)?.bits ?? 0n;
  }

  valueOf(register: Register): Undefined | undefined {
    return this.#values.get(register);
  }

  holds(i: Instruction, choice: Choice): boolean {
    return this.#holds(i, choice);
  }

  constant(o: Operand | undefined): bigint | undefined {
    const value = o?.kind === "register" ? this.#constants.get(o) : o;
    if (value?.kind === "float") return value.bits;
    return value?.kind === "int" ? value.value : undefined;
  }

  originOf(registers: readonly Register[]): Origin | undefined {
    for (const r of registers) {
      const value = this.#values.get(r);
      if (value) return value.origin;
    }
    return undefined;
  }

  set(register: Register, bits: bigint, origin: Origin | undefined): void {
    if (bits === 0n || !origin) this.#values.delete(register);
    else this.#values.set(register, { bits, origin });
  }

  /** Something depends on them: told of once. */
  decide(registers: readonly Register[], by: Instruction): void {
    for (let origin = this.originOf(registers); origin; origin = this.originOf(registers)) this.tell(origin, by);
  }

  tell(origin: Origin, by: Instruction): void {
    for (const [register, value] of this.#values) if (value.origin.at === origin.at) this.#values.delete(register);
    origin.report(by);
  }

  /** An instruction of the lane by itself, other than an access that is told of. */
  follow(i: Instruction): void {
    if (this.empty) return;
    const { modifiers } = i.opcode;
    const { reads, writes } = registerUse(i);
    const { access, carries } = traitsOf(i);
    const guard = i.guard && this.valueOf(i.guard.register);
    if (guard && access === undefined) {
      // It runs or not: what it writes is either of two values.
      for (const r of writes) this.set(r, (1n << BigInt(widthOf(r))) - 1n, guard.origin);
      return;
    }
    if (access === undefined && i.guard && !this.#holds(i, "guard")) return;
    if (i.guard) this.decide([i.guard.register], i);
    const origin = this.originOf(reads);
    if (access !== undefined) {
      // What is told of has been followed then; what is not told of here was not run, or goes to functions.
      if (!["param", "const"].includes(spaceNamed(modifiers.space))) return;
      if (access === "store") this.decide(reads, i);
      else if (!i.guard) this.#clear(writes);
      return;
    }
    // What is carried on is not followed.
    if (origin && (carries || modifiers.cc)) this.decide(reads, i);
    if (!origin) this.#clear(writes);
    else for (const [register, bits] of undefinedResults(i, this)) this.set(register, bits, this.#takenFrom(i) ?? origin);
  }

  /** Where what `selp` has taken comes from: the other operand may have undefined bits of its own. */
  #takenFrom(i: Instruction): Origin | undefined {
    return i.opcode.form === "selp" ? this.originOf(registersOf(i.operands[this.holds(i, "operand") ? 1 : 2])) : undefined;
  }

  #clear(writes: readonly Register[]): void {
    for (const r of writes) this.#values.delete(r);
  }

  /** Up to an instruction of the segment. */
  upTo(at: number, instructions: readonly Instruction[]): void {
    const stop = Math.min(at, this.end);
    for (; this.next < stop; this.next++) {
      const i = instructions[this.next];
      if (i) this.follow(i);
    }
  }
}

const itemsOf = (o: Operand | undefined): readonly Scalar[] =>
  o?.kind === "vector" ? o.items : o === undefined ? [] : [o as Scalar];

interface InSegment {
  /** Index behind the last instruction of the segment. */
  readonly end: number;
  /** Number of the instruction's first choice in the segment. */
  readonly choice: number;
}

/** By index of an instruction. */
function placesInSegments({ steps }: Program): ReadonlyMap<number, InSegment> {
  const places = new Map<number, InSegment>();
  for (const step of steps) {
    if (step.kind !== "segment") continue;
    const end = step.instruction.index + step.instructions.length;
    let choice = 0;
    for (const i of step.instructions) {
      places.set(i.index, { end, choice });
      choice += choicesOf(i).length;
    }
  }
  return places;
}

export class UndefinedValues {
  readonly #program: Program;
  readonly #warps = new WeakMap<Warp, Map<number, LaneValues>>();
  /** Of each instruction in a segment; found when the first undefined bits come. */
  #places: ReadonlyMap<number, InSegment> = new Map();
  /** Lanes that have some. */
  #count = 0;

  constructor(program: Program) {
    this.#program = program;
  }

  /** A step is about to run. What ran before it is followed to its end. */
  step(warp: Warp, mask: number, step: Executed): void {
    const lanes = this.#count > 0 ? this.#warps.get(warp) : undefined;
    if (!lanes || lanes.size === 0) return;
    for (const values of lanes.values()) values.upTo(values.end, this.#program.instructions);
    if (step.kind === "segment") {
      for (const [lane, values] of lanes) {
        if (((mask >>> lane) & 1) === 0) continue;
        values.next = step.instruction.index;
        values.end = values.next + instructionsOf(step).length;
      }
    } else if (traitsOf(step.instruction).exchanges) this.#exchange(warp, lanes, mask, step.instruction);
    else for (const [lane, values] of lanes) if ((mask >>> lane) & 1) this.#decides(values, step.instruction);
    this.#tidy(warp);
  }

  /** A branch, or what lanes do with others: all that it reads counts. */
  #decides(values: LaneValues, i: Instruction): void {
    const { reads, writes } = registerUse(i);
    values.decide(reads, i);
    for (const r of writes) values.set(r, 0n, undefined);
  }

  #exchange(warp: Warp, lanes: Map<number, LaneValues>, mask: number, i: Instruction): void {
    const { reads, writes } = registerUse(i);
    const isShuffle = i.opcode.form === "shfl";
    const given = isShuffle ? registersOf(i.operands[1]) : reads;
    let origin: Origin | undefined;
    for (const [lane, values] of lanes) {
      if (((mask >>> lane) & 1) === 0) continue;
      values.decide(
        reads.filter((r) => !given.includes(r)),
        i,
      );
      origin ??= values.originOf(given);
    }
    // Who takes which value is known when it has run.
    if (isShuffle) return;
    forEachLane(mask, (lane) => {
      const values = origin ? this.#valuesOf(warp, lane) : lanes.get(lane);
      // A predicate says whether there was somebody, which is known.
      for (const r of writes) values?.set(r, r.type === "pred" ? 0n : (1n << BigInt(widthOf(r))) - 1n, origin);
    });
  }

  /** Each lane of a shuffle has taken the value of another one, or kept its own. */
  shuffle(warp: Warp, mask: number, from: ArrayLike<number>, i: Instruction): void {
    const lanes = this.#count > 0 ? this.#warps.get(warp) : undefined;
    if (!lanes || lanes.size === 0) return;
    const [given] = registersOf(i.operands[1]);
    const before = new Map([...lanes].map(([lane, values]) => [lane, given && values.valueOf(given)]));
    const { writes } = registerUse(i);
    forEachLane(mask, (lane) => {
      const source = from[lane] ?? -1;
      const taken = before.get(source < 0 ? lane : source);
      const values = taken ? this.#valuesOf(warp, lane) : lanes.get(lane);
      // A predicate says whether there was somebody, which is known.
      for (const r of writes) values?.set(r, r.type === "pred" ? 0n : (taken?.bits ?? 0n), taken?.origin);
    });
    this.#tidy(warp);
  }

  /** What an instruction that lanes run together gives a lane first is undefined. */
  give(warp: Warp, lane: number, i: Instruction, origin: Origin): void {
    const [register] = registersOf(i.operands[0]);
    if (register) this.#valuesOf(warp, lane).set(register, (1n << BigInt(widthOf(register))) - 1n, origin);
  }

  /** An access of a lane: what comes before it is followed, and its address counts. */
  access(warp: Warp, lane: number, at: number): void {
    const values = this.#count > 0 ? this.#warps.get(warp)?.get(lane) : undefined;
    const i = this.#program.instructions[at];
    if (!values || !i || !this.#places.has(at)) return;
    values.upTo(at, this.#program.instructions);
    values.next = at + 1;
    const addresses = i.operands.filter((o) => o?.kind === "address").flatMap(registersOf);
    values.decide(i.guard ? [i.guard.register, ...addresses] : addresses, i);
  }

  /** What a load has brought, by byte from its first: undefined bits. */
  load(warp: Warp, lane: number, at: number, bits: bigint, origin: Origin | undefined): void {
    const i = this.#program.instructions[at];
    if (!i || (bits === 0n && this.#count === 0)) return;
    const values = bits === 0n ? this.#warps.get(warp)?.get(lane) : this.#valuesOf(warp, lane);
    if (!values) return;
    const type = i.opcode.types.type ?? b32;
    const width = type.bits;
    for (const [n, item] of itemsOf(i.operands[0]).entries()) {
      if (item.kind !== "register") continue;
      const own = (bits >> BigInt(n * width)) & ((1n << BigInt(width)) - 1n);
      values.set(item, extended(own, width, type.kind === "signed", widthOf(item)), origin);
    }
    values.next = at + 1;
    values.end = this.#places.get(at)?.end ?? values.next;
    this.#tidy(warp);
  }

  /** What a store leaves, by byte from its first: undefined bits, and whence. */
  stored(warp: Warp, lane: number, at: number): Undefined | undefined {
    const values = this.#count > 0 ? this.#warps.get(warp)?.get(lane) : undefined;
    const i = this.#program.instructions[at];
    if (!values || !i) return undefined;
    const items = itemsOf(i.operands[1]);
    const origin = values.originOf(items.flatMap(registersOf));
    if (!origin) return undefined;
    const width = (i.opcode.types.type ?? b32).bits;
    const own = (item: Scalar): bigint =>
      (item.kind === "register" ? values.undefinedIn(item) : 0n) & ((1n << BigInt(width)) - 1n);
    const bits = items.reduce((all, item, n) => all | (own(item) << BigInt(n * width)), 0n);
    return bits === 0n ? undefined : { bits, origin };
  }

  /** What an instruction reads goes where others see it. */
  decide(warp: Warp, lane: number, at: number): void {
    const values = this.#count > 0 ? this.#warps.get(warp)?.get(lane) : undefined;
    const i = this.#program.instructions[at];
    if (!values || !i) return;
    this.#decides(values, i);
    this.#tidy(warp);
  }

  /** Whether lanes of a warp hold some. */
  has(warp: Warp): boolean {
    return this.#count > 0 && (this.#warps.get(warp)?.size ?? 0) > 0;
  }

  exits(warp: Warp, mask: number): void {
    const lanes = this.#count > 0 ? this.#warps.get(warp) : undefined;
    if (!lanes) return;
    forEachLane(mask, (lane) => {
      const values = lanes.get(lane);
      values?.upTo(values.end, this.#program.instructions);
      this.#forget(lanes, lane);
    });
  }

  #valuesOf(warp: Warp, lane: number): LaneValues {
    const lanes = this.#warps.get(warp) ?? new Map<number, LaneValues>();
    this.#warps.set(warp, lanes);
    let values = lanes.get(lane);
    if (!values) {
      if (this.#places.size === 0) this.#places = placesInSegments(this.#program);
      values = new LaneValues(constantsOf(this.#program.instructions), (i, choice) => this.#holds(warp, lane, i, choice));
      lanes.set(lane, values);
      this.#count += 1;
    }
    return values;
  }

  #holds(warp: Warp, lane: number, i: Instruction, choice: Choice): boolean {
    const at = (this.#places.get(i.index)?.choice ?? 0) + choicesOf(i).indexOf(choice);
    return (((warp.choices[at] ?? 0) >>> lane) & 1) !== 0;
  }

  #forget(lanes: Map<number, LaneValues>, lane: number): void {
    if (lanes.delete(lane)) this.#count -= 1;
  }

  #tidy(warp: Warp): void {
    const lanes = this.#warps.get(warp);
    for (const [lane, values] of lanes ?? []) if (lanes && values.empty) this.#forget(lanes, lane);
  }
}
