/**
 * Which bits of a result are undefined where bits of its operands are: exactly where moves, masks, shifts and fields with constants move
 * or drop them, else all that may depend on them. A bit that is 1 here is undefined.
 */
import type { Instruction, Operand, ReadFormName, Register } from "../../../../ptx/parse/index.ts";
import { b32, type DataType, dataType } from "../../../../ptx/parse/index.ts";
import { type Choice, joinOf } from "../../../program/codegen/choices.ts";
import { registerUse } from "../register-use.ts";

/** Of one lane, before the instruction. */
export interface Sources {
  undefinedIn(register: Register): bigint;
  /** What a choice of the instruction was. */
  holds(i: Instruction, choice: Choice): boolean;
  /** What an operand is in every run. */
  constant(o: Operand | undefined): bigint | undefined;
}

export type Result = readonly [register: Register, bits: bigint];

const ones = (width: number): bigint => (1n << BigInt(width)) - 1n;

export const widthOf = ({ type }: Register): number => dataType(type).bits;
const isSigned = (type: DataType): boolean => type.kind === "signed";
const isInteger = (type: DataType): boolean => type.lanes === 1 && ["signed", "unsigned", "bits"].includes(type.kind);

/** The lower bits as a wider value; where it has a sign, that goes on above. */
export function extended(bits: bigint, width: number, signed: boolean, to: number): bigint {
  const low = bits & ones(width);
  const sign = (low >> BigInt(width - 1)) & 1n;
  return signed && sign === 1n && to > width ? low | (ones(to) & ~ones(width)) : low;
}

/** Carries go up. */
const upwards = (bits: bigint, width: number): bigint => (bits === 0n ? 0n : ones(width) & ~((bits & -bits) - 1n));

/** The operands of one instruction, by place; the result is the first. */
class Operands {
  readonly i: Instruction;
  readonly #sources: Sources;
  readonly type: DataType;
  readonly width: number;

  constructor(i: Instruction, sources: Sources) {
    this.i = i;
    this.#sources = sources;
    this.type = i.opcode.types.type ?? b32;
    this.width = this.type.bits;
  }

  /** Which operand `selp` has taken. */
  get taken(): 1 | 2 {
    return this.holds("operand") ? 1 : 2;
  }
  holds(choice: Choice): boolean {
    return this.#sources.holds(this.i, choice);
  }
  bits(n: number): bigint {
    return this.#bitsOf(this.i.operands[n]);
  }
  #bitsOf(o: Operand | undefined): bigint {
    if (o?.kind === "register") return this.#sources.undefinedIn(o);
    return o?.kind === "not" ? this.#sources.undefinedIn(o.register) : 0n;
  }
  items(n: number): readonly bigint[] {
    const o = this.i.operands[n];
    return o?.kind === "vector" ? o.items.map((item) => this.#bitsOf(item)) : [];
  }
  constant(n: number): bigint | undefined {
    const value = this.#sources.constant(this.i.operands[n]);
    return value === undefined ? undefined : BigInt.asUintN(this.width, value);
  }
  /** All of the result, if any of an operand. */
  any(): bigint {
    return registerUse(this.i).reads.some((r) => r !== this.i.guard?.register && this.#sources.undefinedIn(r) !== 0n) ? -1n : 0n;
  }
  /** One register twice: the result does not depend on it. */
  get cancels(): boolean {
    const [, a, b] = this.i.operands;
    return a?.kind === "register" && a === b;
  }
}

const lowerSum = (o: Operands): bigint => {
  const { sat, half } = o.i.opcode.modifiers;
  if (sat || half === "hi" || !isInteger(o.type)) return o.any();
  return upwards(o.bits(1) | o.bits(2) | o.bits(3), o.width);
};

function shifted(o: Operands): bigint {
  const by = o.constant(2);
  if (by === undefined) return o.any();
  const [bits, width] = [o.bits(1) & ones(o.width), o.width];
  if (o.i.opcode.form === "shl") return by >= width ? 0n : (bits << by) & ones(width);
  return (extended(bits, width, isSigned(o.type), 2 * width) >> (by >= width ? BigInt(width) : by)) & ones(width);
}

function funnelled(o: Operands): bigint {
  const by = o.constant(3);
  if (by === undefined) return o.any();
  const { mode, direction } = o.i.opcode.modifiers;
  const n = mode === "wrap" ? by & 31n : by > 32n ? 32n : by;
  const bits = (o.bits(2) << 32n) | o.bits(1);
  return (direction === "l" ? (bits << n) >> 32n : bits >> n) & ones(32);
}

/** `bfi`: a field of the second operand is that of the first. */
function inserted(o: Operands): bigint {
  const [at, length] = [o.constant(3), o.constant(4)];
  if (at === undefined || length === undefined) return o.any();
  const field = (((1n << (length & 255n)) - 1n) << (at & 255n)) & ones(o.width);
  return (o.bits(2) & ~field) | ((o.bits(1) << (at & 255n)) & field);
}

function extracted(o: Operands): bigint {
  const [at, length] = [o.constant(2), o.constant(3)];
  if (at === undefined || length === undefined) return o.any();
  const signed = isSigned(o.type);
  const taken = Number(length & 255n);
  // Beyond the word it has the sign.
  const bits = extended(o.bits(1) & ones(o.width), o.width, signed, 512) >> (at & 255n);
  return taken === 0 ? 0n : extended(bits, taken, signed, o.width) & ones(o.width);
}

/** Whether one bit of the result depends on undefined ones, whatever the others are, of which some are known. */
function dependsOn(table: number, isUndefined: readonly boolean[], known: readonly (number | undefined)[]): boolean {
  const rows = [0, 1, 2, 3, 4, 5, 6, 7].filter((row) =>
    known.every((value, n) => value === undefined || ((row >> (2 - n)) & 1) === value),
  );
  const free = isUndefined.reduce((mask, yes, n) => (yes ? mask | (4 >> n) : mask), 0);
  return rows.some((a) => rows.some((b) => (a & ~free) === (b & ~free) && ((table >> a) & 1) !== ((table >> b) & 1)));
}

function byTable(o: Operands): bigint {
  const table = o.constant(4);
  if (table === undefined) return o.any();
  let bits = 0n;
  for (let at = 0n; at < 32n; at++) {
    const isUndefined = [1, 2, 3].map((n) => ((o.bits(n) >> at) & 1n) === 1n);
    if (!isUndefined.includes(true)) continue;
    const known = [1, 2, 3].map((n) => {
      const value = o.constant(n);
      return value === undefined ? undefined : Number((value >> at) & 1n);
    });
    if (dependsOn(Number(table & 255n), isUndefined, known)) bits |= 1n << at;
  }
  return bits;
}

function permuted(o: Operands): bigint {
  const selector = o.constant(3);
  if (selector === undefined || o.i.opcode.modifiers.mode) return o.any();
  const bytes = (o.bits(2) << 32n) | o.bits(1);
  let bits = 0n;
  for (let n = 0n; n < 4n; n++) {
    const pick = (selector >> (4n * n)) & 15n;
    const byte = (bytes >> (8n * (pick & 7n))) & 255n;
    bits |= ((pick & 8n) === 0n ? byte : byte >= 128n ? 255n : 0n) << (8n * n);
  }
  return bits;
}

function converted(o: Operands): bigint {
  const { types, modifiers } = o.i.opcode;
  const { to = b32, from = b32 } = types;
  if (modifiers.sat || !isInteger(to) || !isInteger(from)) return o.any();
  const narrow = to.bits < from.bits ? to : from;
  return extended(o.bits(1), narrow.bits, isSigned(narrow), 64);
}

function packed(o: Operands): bigint {
  const items = o.items(1);
  const part = o.width / items.length;
  return items.reduce((bits, item, n) => bits | ((item & ones(part)) << BigInt(n * part)), 0n);
}

/** Which bits of a result are undefined, of those of its operands. */
type TransferFunction = (o: Operands) => bigint;
const first: TransferFunction = (o) => o.bits(1);
const either: TransferFunction = (o) => o.bits(1) | o.bits(2);
const any: TransferFunction = (o) => o.any();

/** A predicate of two: one that is defined may settle it, whatever the other is. `otherwise`: of an instruction that makes no such predicate. */
const joined =
  (left: TransferFunction, second: number, otherwise: TransferFunction): TransferFunction =>
  (o) => {
    const by = joinOf(o.i);
    if (!by) return otherwise(o);
    const [isLeft, isRight] = [left(o) !== 0n, o.bits(second) !== 0n];
    const settles = by === "or";
    const counts = (isLeft && isRight) || (isLeft && o.holds("right") !== settles) || (isRight && o.holds("left") !== settles);
    return counts ? -1n : 0n;
  };

const transferFunctions: Readonly<Partial<Record<ReadFormName, TransferFunction>>> = {
  mov: first,
  "mov.pack": packed,
  "mov.unpack": first,
  not: first,
  and: joined(first, 2, (o) => either(o) & (o.constant(1) ?? -1n) & (o.constant(2) ?? -1n)),
  or: joined(first, 2, (o) => either(o) & ~(o.constant(1) ?? 0n) & ~(o.constant(2) ?? 0n)),
  setp: joined(either, 3, any),
  xor: (o) => (o.cancels ? 0n : either(o)),
  add: lowerSum,
  sub: (o) => (o.cancels ? 0n : lowerSum(o)),
  mul: lowerSum,
  mad: lowerSum,
  neg: lowerSum,
  shl: shifted,
  shr: shifted,
  shf: funnelled,
  bfi: inserted,
  bfe: extracted,
  lop3: byTable,
  prmt: permuted,
  cvt: converted,
  selp: (o) => (o.bits(3) === 0n ? o.bits(o.taken) : -1n),
};

/** What an instruction of a lane by itself makes of them: each register that it writes. */
export function undefinedResults(i: Instruction, sources: Sources): readonly Result[] {
  const o = new Operands(i, sources);
  const bits = (transferFunctions[i.opcode.form] ?? any)(o);
  const cut = (r: Register, own: bigint): Result => [r, own & ones(widthOf(r))];
  const [result] = i.operands;
  if (result?.kind !== "vector") return registerUse(i).writes.map((r) => cut(r, bits));
  const part = o.width / result.items.length;
  return result.items.flatMap((item, n) =>
    item.kind === "register" ? [cut(item, (bits >> BigInt(n * part)) & ones(part))] : [],
  );
}
