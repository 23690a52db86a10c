/** The order of a row's elements, the greatest first: as numbers without a sign, and what has been found out about where to cut it. */
import { bitcast, u32 } from "warpsmith";
import type { FloatType } from "../common/tensors.ts";

/** Digits have so many bits, from the top: a bin for each. */
export const digitBits = 11;
export const binCount = 2 ** digitBits;

/**
 * A number for each element that rises as the element falls: 0 for NaN, which is greater than everything, and one for 0 and -0. Equal elements follow each other by their
 * columns.
 */
export const orderOf = (v: number): number => {
  "use kernel";
  const bits = bitcast("i32", v + 0); // -0 + 0 is 0
  return v <= Number.POSITIVE_INFINITY ? (bits >= 0 ? bits ^ 0x7fffffff : bits) >>> 0 : u32(0);
};

/** Bits of that number that are not the same for all elements of a type, from the top. */
const orderBits: Readonly<Record<FloatType, number>> = { bf16: 16, f16: 19, f32: 32 };

/** How many digits tell elements of a type apart, and how many the columns of a row. */
export const digitsOf = (dtype: FloatType, columns: number): { readonly ofOrder: number; readonly ofColumn: number } => ({
  ofOrder: Math.ceil(orderBits[dtype] / digitBits),
  ofColumn: Math.ceil(Math.log2(Math.max(2, columns)) / digitBits),
});

/** A cut through that order: elements up to it are chosen. Bits that are not known yet are 0, in the masks and in the numbers. */
export interface Cut {
  readonly order: number;
  readonly orderMask: number;
  readonly column: number;
  readonly columnMask: number;
}

/** Where nothing is known, everything is chosen. */
export const noCut = (): Cut => {
  "use kernel";
  return { order: u32(0), orderMask: u32(0), column: u32(0), columnMask: u32(0) };
};

/** Whether an element lies where the cut runs through, as far as is known. */
export const isAtCut = ({ order, orderMask, column, columnMask }: Cut, own: number, at: number): boolean => {
  "use kernel";
  return (own & orderMask) >>> 0 === order && (at & columnMask) >>> 0 === column;
};

/** Whether it lies before the cut or at it. */
export const isChosen = ({ order, orderMask, column, columnMask }: Cut, own: number, at: number): boolean => {
  "use kernel";
  const known = (own & orderMask) >>> 0;
  return known < order || (known === order && (at & columnMask) >>> 0 <= column);
};

/** Bits of a digit, the first from the top being 0. Digits reach back into the one before where too few bits are left. */
export const shiftOf = (digit: number): number => {
  "use kernel";
  return Math.max(0, 32 - digitBits * (digit + 1));
};
