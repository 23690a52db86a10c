/** The vocabulary that host and kernel share. Types only; imports nothing. */

/** Element types. fp8 is `e4m3` and `e5m2`; `tf32` is f32 storage read by the tensor core with 10 bits of mantissa. */
export type DType =
  | "f64"
  | "f32"
  | "tf32"
  | "f16"
  | "bf16"
  | "e4m3"
  | "e5m2"
  | "i64"
  | "u64"
  | "i32"
  | "u32"
  | "i16"
  | "u16"
  | "i8"
  | "u8"
  | "bool";

/** What one element is to TypeScript: `bigint` for 64-bit integers, as in `BigInt64Array`; `boolean` for bool; else `number`. */
export type Element<D extends DType = DType> = D extends "i64" | "u64" ? bigint : D extends "bool" ? boolean : number;

/** A grid, block or cluster extent; missing dimensions are 1. */
export type Dim = number | readonly [number] | readonly [number, number] | readonly [number, number, number];
/** The same with every dimension written out. */
export type Dim3 = readonly [x: number, y: number, z: number];

/** An extent per dimension, outermost first, in elements. */
export type Shape = readonly number[];
/** One extent per dimension. R stands left of `extends` alone, so that a tensor of known rank is also one of any rank. */
export type Dims<R extends number> = R extends 1
  ? readonly [number]
  : R extends 2
    ? readonly [number, number]
    : R extends 3
      ? readonly [number, number, number]
      : R extends 4
        ? readonly [number, number, number, number]
        : R extends 5
          ? readonly [number, number, number, number, number]
          : readonly number[];

/** Shape and type without memory, for `compile` and `trace`. */
export interface TensorSpec<D extends DType = DType, R extends number = number> {
  /** The type of the elements. */
  readonly dtype: D;
  /** How many dimensions there are. */
  readonly rank: R;
  /** Elements per dimension, outermost first. */
  readonly shape: Dims<R>;
  /** Elements between neighbours. */
  readonly strides: Dims<R>;
}

/**
 * How rows of shared memory are permuted in units of 16 bytes, so that columns meet no bank conflicts: over rows of that many bytes. TMA
 * and wgmma must be given the same. PTX ISA 5.5.6.
 */
export type Swizzle = "none" | "32B" | "64B" | "128B";
