/** Types of values in the op graph. Element types of memory are narrower than registers: a `bool` in memory is a `u8`. */

import { elementBytes, isFloatType, isIntegerType, ofElementTypes, integerRange as rangeOfBits } from "../base/element-types.ts";
import type { DType } from "../base/types.ts";
import type { FragmentType } from "./fragment-type.ts";
import { aggregateName, type OperandType, type TileType, type ViewType } from "./view-types.ts";

export const scalarTypes = [
  "pred",
  "i8",
  "u8",
  "i16",
  "u16",
  "i32",
  "u32",
  "i64",
  "u64",
  "f16",
  "bf16",
  "f32",
  "f64",
  "e4m3",
  "e5m2",
] as const;
export type ScalarType = (typeof scalarTypes)[number];

/**
 * Addresses: 64 bits in global memory, 32 bits in shared memory (a window of its own). `ptr.cluster`: 32 bits in the shared memory
 * of any block of the cluster.
 */
export const pointerTypes = ["ptr.global", "ptr.shared", "ptr.cluster"] as const;
export type PointerType = (typeof pointerTypes)[number];

/** `tensormap`: a tensor map given as a kernel parameter. `desc`: a wgmma matrix descriptor, whose low word alone varies. */
export type OpaqueType = "tensormap" | "desc";

/** The accumulators of one warpgroup for `rows` × `cols` elements: rows × cols / 128 elements in each thread. */
export interface AccType {
  readonly kind: "acc";
  readonly dtype: "f32" | "f16" | "i32";
  readonly rows: number;
  readonly cols: number;
}

export type Type = ScalarType | PointerType | OpaqueType | AccType | ViewType | TileType | OperandType | FragmentType;

export const isAcc = (t: Type): t is AccType => typeof t === "object" && t.kind === "acc";
export const isView = (t: Type): t is ViewType => typeof t === "object" && t.kind === "view";
export const isTile = (t: Type): t is TileType => typeof t === "object" && t.kind === "tile";
export const isOperand = (t: Type): t is OperandType => typeof t === "object" && t.kind === "operand";
export const isFragment = (t: Type): t is FragmentType => typeof t === "object" && t.kind === "fragment";
/** What only the tile level has: passes take it apart. */
export const isAggregate = (t: Type): t is ViewType | TileType | OperandType | FragmentType =>
  typeof t === "object" && t.kind !== "acc";
const scalars = new Set<Type>(scalarTypes);
export const isScalar = (t: Type): t is ScalarType => scalars.has(t);
export const isPointer = (t: Type): t is PointerType => (pointerTypes as readonly Type[]).includes(t);

const integers = new Set<Type>(scalarTypes.filter((t) => t !== "pred" && isIntegerType(t)));
const floats = new Set<Type>(scalarTypes.filter((t) => t !== "pred" && isFloatType(t)));
export const isInteger = (t: Type): boolean => integers.has(t);
export const isSigned = (t: Type): boolean => typeof t === "string" && t[0] === "i";
export const isFloat = (t: Type): boolean => floats.has(t);

const widths: Readonly<Record<ScalarType | PointerType, number>> = {
  ...ofElementTypes((dtype) => 8 * elementBytes[dtype]),
  pred: 1,
  "ptr.global": 64,
  "ptr.shared": 32,
  "ptr.cluster": 32,
};
/** Bits of a value. */
export const bitsOf = (t: ScalarType | PointerType): number => widths[t];

/** What an integer type holds, both ends included. */
export const integerRange = (t: ScalarType): readonly [least: bigint, most: bigint] => rangeOfBits(bitsOf(t), isSigned(t));

/** As printed: `i32`, `ptr.shared`, `acc<f32, 128x128>`, `tile<"f32 128x256 over 2">`. */
export function typeName(t: Type): string {
  if (typeof t === "string") return t;
  return t.kind === "acc" ? `acc<${t.dtype}, ${t.rows}x${t.cols}>` : aggregateName(t);
}

export const sameType = (a: Type, b: Type): boolean =>
  a === b || (typeof a === "object" && typeof b === "object" && typeName(a) === typeName(b));

/** Elements of an accumulator that one thread holds. */
export const accElements = (t: AccType): number => (t.rows * t.cols) / 128;

/** Which of a thread's elements are in some of the columns, both multiples of 8: for each 64 rows four of every eight columns. */
export function accColumns({ rows, cols }: Pick<AccType, "rows" | "cols">, start: number, count: number): readonly number[] {
  return Array.from({ length: (rows * count) / 128 }, (_, i) => {
    const slab = Math.floor(i / (count / 2));
    return (slab * cols + start) / 2 + (i % (count / 2));
  });
}

/** The type of an element in a register: tf32 is f32, bool is a predicate. */
export function registerType(dtype: DType): ScalarType {
  if (dtype === "tf32") return "f32";
  return dtype === "bool" ? "pred" : dtype;
}

/** The type that loads and stores move: a bool in memory is a u8. */
export const memoryType = (dtype: DType): ScalarType => (dtype === "bool" ? "u8" : registerType(dtype));
