/** The element-wise reductions of `cp.reduce.async.bulk` and its tensor form (PTX ISA 9.7.9.25.5). */

import type { DType } from "../../../base/types.ts";
import { fail } from "../../errors/index.ts";
import { canonicalNaN, decodeBf16, encodeBf16, encodeF16, floatTable } from "./floats.ts";

export type ReduceOp = "add" | "min" | "max" | "inc" | "dec" | "and" | "or" | "xor";
export type ReduceType = "u32" | "s32" | "b32" | "u64" | "s64" | "b64" | "f16" | "bf16" | "f32" | "f64";

/** Combines one element at `source` into the one at `target`. */
export type Combine = (into: DataView, target: number, from: DataView, source: number) => void;

interface Access<T> {
  readonly get: (view: DataView, offset: number) => T;
  readonly set: (view: DataView, offset: number, value: T) => void;
}

const words: Readonly<Record<"u32" | "s32", Access<number>>> = {
  u32: { get: (v, o) => v.getUint32(o, true), set: (v, o, x) => v.setUint32(o, x, true) },
  s32: { get: (v, o) => v.getInt32(o, true), set: (v, o, x) => v.setInt32(o, x, true) },
};
const longs: Readonly<Record<"u64" | "s64", Access<bigint>>> = {
  u64: { get: (v, o) => v.getBigUint64(o, true), set: (v, o, x) => v.setBigUint64(o, x, true) },
  s64: { get: (v, o) => v.getBigInt64(o, true), set: (v, o, x) => v.setBigInt64(o, x, true) },
};
const floats: Readonly<Record<"f16" | "bf16" | "f32", Access<number>>> = {
  f16: { get: (v, o) => floatTable("f16")[v.getUint16(o, true)] ?? 0, set: (v, o, x) => v.setUint16(o, encodeF16(x), true) },
  bf16: { get: (v, o) => decodeBf16(v.getUint16(o, true)), set: (v, o, x) => v.setUint16(o, encodeBf16(x), true) },
  f32: {
    get: (v, o) => v.getFloat32(o, true),
    set: (v, o, x) => (Number.isNaN(x) ? v.setInt32(o, canonicalNaN.f32, true) : v.setFloat32(o, x, true)),
  },
};

/** The lesser of two; a number before NaN, −0 before +0. */
function lesser(a: number, b: number): number {
  if (Number.isNaN(a)) return b;
  if (Number.isNaN(b)) return a;
  return Math.min(a, b);
}

const greater = (a: number, b: number): number => -lesser(-a, -b);

type Operators<T> = Partial<Readonly<Record<ReduceOp, (old: T, x: T) => T>>>;

const integerOperators: Operators<number> = { add: (a, b) => a + b, min: Math.min, max: Math.max };
const countOperators: Operators<number> = {
  inc: (old, x) => (old >= x ? 0 : old + 1),
  dec: (old, x) => (old === 0 || old > x ? x : old - 1),
};
const bitOperators: Operators<number> = { and: (a, b) => a & b, or: (a, b) => a | b, xor: (a, b) => a ^ b };
const longAdd: Operators<bigint> = { add: (a, b) => a + b };
const longOrder: Operators<bigint> = { min: (a, b) => (a < b ? a : b), max: (a, b) => (a > b ? a : b) };
const longBits: Operators<bigint> = { and: (a, b) => a & b, or: (a, b) => a | b, xor: (a, b) => a ^ b };
const floatAdd: Operators<number> = { add: (a, b) => a + b };
const floatOrder: Operators<number> = { min: lesser, max: greater };

const apply =
  <T>(access: Access<T>, operator: (old: T, x: T) => T): Combine =>
  (into, target, from, source) =>
    access.set(into, target, operator(access.get(into, target), access.get(from, source)));

function combineFor<T>(access: Access<T>, operators: Operators<T>, op: ReduceOp): Combine | undefined {
  const operator = operators[op];
  return operator && apply(access, operator);
}

/** A NaN that comes, or else one that is there, stays as it is; that of infinities is negative (docs/hardware.md). */
const addDouble: Combine = (into, target, from, source) => {
  const [old, x] = [into.getFloat64(target, true), from.getFloat64(source, true)];
  if (Number.isNaN(x)) into.setBigUint64(target, from.getBigUint64(source, true), true);
  else if (Number.isNaN(old)) return;
  else if (Number.isNaN(old + x)) into.setBigUint64(target, infinitiesNaN, true);
  else into.setFloat64(target, old + x, true);
};
const infinitiesNaN = 0xfff8000000000000n;

const makers: Readonly<Record<ReduceType, (op: ReduceOp) => Combine | undefined>> = {
  u32: (op) => combineFor(words.u32, { ...integerOperators, ...countOperators, ...bitOperators }, op),
  s32: (op) => combineFor(words.s32, { ...integerOperators, ...bitOperators }, op),
  b32: (op) => combineFor(words.u32, bitOperators, op),
  u64: (op) => combineFor(longs.u64, { ...longAdd, ...longOrder, ...longBits }, op),
  s64: (op) => combineFor(longs.s64, longOrder, op),
  b64: (op) => combineFor(longs.u64, longBits, op),
  f16: (op) => combineFor(floats.f16, { ...floatAdd, ...floatOrder }, op),
  bf16: (op) => combineFor(floats.bf16, { ...floatAdd, ...floatOrder }, op),
  f32: (op) => combineFor(floats.f32, floatAdd, op),
  f64: (op) => (op === "add" ? addDouble : undefined),
};

/** How elements of a type are combined. W9115. */
export function combiner(op: ReduceOp, type: ReduceType): Combine {
  return makers[type](op) ?? fail("W9115", { op, type });
}

const mapTypes: Partial<Readonly<Record<DType, ReduceType>>> = {
  u32: "u32",
  i32: "s32",
  u64: "u64",
  i64: "s64",
  f16: "f16",
  bf16: "bf16",
  f32: "f32",
  tf32: "f32",
  f64: "f64",
};

/** The same for the elements of a tensor map. W9115. */
export function combinerOf(op: ReduceOp, dtype: DType): Combine {
  const type = mapTypes[dtype];
  return type ? combiner(op, type) : fail("W9115", { op, type: dtype });
}

/** Bytes of one element. */
export const reduceBytes: Readonly<Record<ReduceType, number>> = {
  u32: 4,
  s32: 4,
  b32: 4,
  u64: 8,
  s64: 8,
  b64: 8,
  f16: 2,
  bf16: 2,
  f32: 4,
  f64: 8,
};
