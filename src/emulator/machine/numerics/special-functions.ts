/** `ex2.approx`, `rcp.approx` and `rsqrt.approx` of f32 with the bits of Hopper (special-tables.ts). */
import { f32Bits, power } from "./bits.ts";
import { ex2Table, interpolated, rcpTable, rsqrtTable } from "./special-tables.ts";
import { flush } from "./transcendental.ts";

const fractions = 2 ** 23;

/**
 * 2^x, subnormal results zeros: the whole part and 23 bits of the fraction of |x|, the others left out; of a negative x the complement of the fraction, which is 2^-23 less.
 */
export function ex2Flushed(x: number): number {
  const size = Math.abs(x);
  if (!(size < 256)) return Number.isNaN(x) ? x : x > 0 ? Number.POSITIVE_INFINITY : 0;
  const all = Math.trunc(size * fractions),
    [fraction, whole] = [all & (fractions - 1), all >> 23];
  const isComplement = x < 0 && fraction !== 0;
  const exponent = isComplement ? -whole - 1 : x < 0 ? -whole : whole;
  return flush(interpolated(ex2Table, isComplement ? fractions - 1 - fraction : fraction) * power(exponent - 23));
}

/** `ex2.approx.f32`: for a small x, the square of 2^(x / 2). */
export function ex2Single(x: number): number {
  if (x >= -126 || Number.isNaN(x)) return ex2Flushed(x);
  const root = ex2Flushed(x / 2);
  return Math.fround(root * root);
}

/** The exponent of an f32 that is not 0, and its fraction in 2^-23. */
function partsOf(x: number): readonly [exponent: number, fraction: number] {
  const isSmall = Math.abs(x) < 2 ** -126;
  const bits = f32Bits(isSmall ? x * 2 ** 24 : x);
  return [((bits >>> 23) & 255) - 127 - (isSmall ? 24 : 0), bits & (fractions - 1)];
}

/** `rcp.approx.f32`. */
export function rcpSingle(x: number): number {
  if (x === 0 || !Number.isFinite(x)) return 1 / x;
  const [exponent, fraction] = partsOf(x);
  return Math.sign(x) * interpolated(rcpTable, fraction) * power(-24 - exponent);
}

/** `rsqrt.approx.f32`: exact for the powers of 4. */
export function rsqrtSingle(x: number): number {
  if (!(x > 0) || x === Number.POSITIVE_INFINITY) return 1 / Math.sqrt(x);
  const [exponent, fraction] = partsOf(x);
  const half = exponent >> 1,
    both = ((exponent & 1) << 23) | fraction;
  return (both === 0 ? 2 ** 24 : interpolated(rsqrtTable, both)) * power(-24 - half);
}
