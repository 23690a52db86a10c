/** Conversions between numbers of different kinds (PTX ISA 9.7.9.21). Results of 64 bits as in `integers.ts`. */

import type { Rounding } from "./exact.ts";
import { wholeExact } from "./exact.ts";
import { fromBig, toSigned, toUnsigned } from "./integers.ts";
import { roundWhole } from "./rounding.ts";

/** A float to an integer of up to 32 bits: saturates; `nan` is what NaN gives: zero, or of f64 the top bit. */
export function toInteger(x: number, how: Rounding, least: number, most: number, nan: number): number {
  if (Number.isNaN(x)) return nan | 0;
  return Math.min(Math.max(roundWhole(x, how), least), most) | 0;
}

/** A float to 64 bits; NaN gives the top bit. */
export function toInteger64(x: number, how: Rounding, signed: boolean): number {
  if (Number.isNaN(x)) return fromBig(1n << 63n);
  const whole = roundWhole(x, how);
  if (signed) return fromBig(whole >= 2 ** 63 ? 2n ** 63n - 1n : whole < -(2 ** 63) ? -(2n ** 63n) : BigInt(whole));
  return fromBig(whole >= 2 ** 64 ? 2n ** 64n - 1n : whole < 0 ? 0n : BigInt(whole));
}

/** 64 bits to a double, rounded once. */
export function s64ToF64(low: number, high: number): number {
  return high * 4294967296 + (low >>> 0);
}
export function u64ToF64(low: number, high: number): number {
  return (high >>> 0) * 4294967296 + (low >>> 0);
}

/** The same under another rounding. */
export const longToF64 = (low: number, high: number, signed: boolean, how: Rounding): number =>
  wholeExact(signed ? toSigned(low, high) : toUnsigned(low, high), how, "f64");

/** 64 bits to a double that rounds to any format of up to 40 bits as the integer itself does. */
export function sticky64(low: number, high: number, signed: boolean): number {
  const x = signed ? toSigned(low, high) : toUnsigned(low, high);
  const magnitude = x < 0n ? -x : x;
  if (magnitude < 1n << 53n) return Number(x);
  const kept = (magnitude >> 12n) << 12n;
  const marked = Number(kept === magnitude ? kept : kept | (1n << 12n));
  return x < 0n ? -marked : marked;
}

/** `cvt.sat` between integers. */
export function saturate64(low: number, high: number, signed: boolean, least: bigint, most: bigint): number {
  const x = signed ? toSigned(low, high) : toUnsigned(low, high);
  return fromBig(x < least ? least : x > most ? most : x);
}
