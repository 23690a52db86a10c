/** The table of element types: their bits, what integers hold, and which float type holds another one's numbers. What other rooms know of them follows from it. */
import type { DType } from "./types.ts";

interface ElementType {
  readonly kind: "float" | "signed" | "unsigned" | "bool";
  readonly bytes: 1 | 2 | 4 | 8;
  /** Each float type holds every number of those with a lower rank. tf32 takes no part: it is read by tensor cores alone. */
  readonly rank?: number;
}

const float = (bytes: ElementType["bytes"], rank?: number): ElementType => ({
  kind: "float",
  bytes,
  ...(rank === undefined ? {} : { rank }),
});
const signed = (bytes: ElementType["bytes"]): ElementType => ({ kind: "signed", bytes });
const unsigned = (bytes: ElementType["bytes"]): ElementType => ({ kind: "unsigned", bytes });

const types: Readonly<Record<DType, ElementType>> = {
  f64: float(8, 3),
  f32: float(4, 2),
  tf32: float(4),
  f16: float(2, 1),
  bf16: float(2, 1),
  e4m3: float(1, 0),
  e5m2: float(1, 0),
  i64: signed(8),
  u64: unsigned(8),
  i32: signed(4),
  u32: unsigned(4),
  i16: signed(2),
  u16: unsigned(2),
  i8: signed(1),
  u8: unsigned(1),
  bool: { kind: "bool", bytes: 1 },
};

export const elementTypes = Object.keys(types) as readonly DType[];

/** Something of each element type. */
export const ofElementTypes = <T>(make: (dtype: DType) => T): Readonly<Record<DType, T>> =>
  // `fromEntries` keeps no names.
  Object.fromEntries(elementTypes.map((dtype) => [dtype, make(dtype)])) as Record<DType, T>;

/** Bytes of one element in memory, for the host and for kernels. */
export const elementBytes: Readonly<Record<DType, ElementType["bytes"]>> = ofElementTypes((dtype) => types[dtype].bytes);

/** The typed arrays that hold elements of numbers as they are. */
export const plainArrays = {
  f64: Float64Array,
  f32: Float32Array,
  i32: Int32Array,
  u32: Uint32Array,
  i16: Int16Array,
  u16: Uint16Array,
  i8: Int8Array,
  u8: Uint8Array,
} as const;

/** Whether it is the name of an element type. */
export const isElementType = (name: string): name is DType => Object.hasOwn(types, name);
export const isFloatType = (dtype: DType): boolean => types[dtype].kind === "float";
export const isSignedType = (dtype: DType): boolean => types[dtype].kind === "signed";
export const isIntegerType = (dtype: DType): boolean => isSignedType(dtype) || types[dtype].kind === "unsigned";

/** What an integer of so many bits holds, both ends included. */
export function integerRange(bits: number, isSigned: boolean): readonly [least: bigint, most: bigint] {
  const least = isSigned ? -(1n << BigInt(bits - 1)) : 0n;
  return [least, least + (1n << BigInt(bits)) - 1n];
}

/** What an integer type of 32 bits or less holds, both ends included; undefined of others. */
export function numberRange(dtype: DType): readonly [least: number, most: number] | undefined {
  if (!isIntegerType(dtype) || elementBytes[dtype] > 4) return undefined;
  const [least, most] = integerRange(8 * elementBytes[dtype], isSignedType(dtype));
  return [Number(least), Number(most)];
}

/** Does the second float type hold every number of the first, and more? */
export function widens(from: DType, to: DType): boolean {
  const [a, b] = [types[from].rank, types[to].rank];
  return a !== undefined && b !== undefined && a < b;
}
