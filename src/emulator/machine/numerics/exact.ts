/**
 * Arithmetic by whole numbers, rounded once in any direction: for what doubles cannot hold. Slow next to plain JavaScript, and
 * used where the instruction asks for a rounding that JavaScript has not, or where sums leave the range of doubles.
 */
import { exponentOf, power } from "./bits.ts";

/** To nearest even, towards zero, towards minus and plus infinity. */
export type Rounding = "rn" | "rz" | "rm" | "rp";

interface Format {
  /** Significant bits, the hidden one included. */
  readonly precision: number;
  /** Of the smallest normal number. */
  readonly leastExponent: number;
  readonly max: number;
}
const formats = {
  f32: { precision: 24, leastExponent: -126, max: 3.4028234663852886e38 },
  f64: { precision: 53, leastExponent: -1022, max: Number.MAX_VALUE },
} as const satisfies Readonly<Record<string, Format>>;
export type ExactType = keyof typeof formats;

interface Parts {
  readonly mantissa: bigint;
  readonly exponent: number;
}

/** x = mantissa * 2 ** exponent, of a finite number. */
function partsOf(x: number): Parts {
  const e = Math.max(exponentOf(x), -1022) - 52;
  return e >= -1022
    ? { mantissa: BigInt(x / power(e)), exponent: e }
    : { mantissa: BigInt((x * power(500)) / power(e + 500)), exponent: e };
}

const isNegative = (x: number): boolean => x < 0 || Object.is(x, -0);
const withSign = (magnitude: number, negative: boolean): number => (negative ? -magnitude : magnitude);
const finite = (...xs: readonly number[]): boolean => xs.every(Number.isFinite);
const lengthOf = (x: bigint): number => x.toString(2).length;

/** Whether what rounding drops, in units of the last place kept, makes the magnitude greater. */
function goesUp(rest: bigint, unit: bigint, odd: boolean, how: Rounding, negative: boolean): boolean {
  if (rest === 0n || how === "rz") return false;
  if (how === "rm") return negative;
  if (how === "rp") return !negative;
  return 2n * rest > unit || (2n * rest === unit && odd);
}

/** 2 ** e times a whole number of at most 53 bits that the result can hold. */
function scaled(mantissa: bigint, e: number): number {
  const x = Number(mantissa);
  if (e > 971) return x * power(971) * power(Math.min(e - 971, 1000));
  return e < -1022 ? x * power(-1022) * power(Math.max(e + 1022, -1022)) : x * power(e);
}

/**
 * magnitude * 2 ** exponent, not zero, with a sign. `more`: the true magnitude is a little greater, by less than one in the last
 * place of what is given; then at least two bits more than the format's are given.
 */
function round(magnitude: bigint, exponent: number, more: boolean, negative: boolean, how: Rounding, type: ExactType): number {
  const { precision, leastExponent, max }: Format = formats[type];
  const last = Math.max(exponent + lengthOf(magnitude) - precision, leastExponent - precision + 1);
  // One bit below the given ones stands for all that is below them.
  const [all, lowest] = more ? [2n * magnitude + 1n, exponent - 1] : [magnitude, exponent];
  const drop = last - lowest;
  if (drop <= 0) return withSign(clamp(scaled(all, lowest), max, negative, how), negative);
  const kept = all >> BigInt(drop);
  const up = goesUp(all - (kept << BigInt(drop)), 1n << BigInt(drop), (kept & 1n) === 1n, how, negative);
  return withSign(clamp(scaled(up ? kept + 1n : kept, last), max, negative, how), negative);
}

/** Beyond the greatest number: infinity, or that number where rounding goes the other way. */
function clamp(magnitude: number, max: number, negative: boolean, how: Rounding): number {
  if (magnitude <= max) return magnitude;
  return how === "rz" || how === (negative ? "rp" : "rm") ? max : Number.POSITIVE_INFINITY;
}

/** A whole number. */
export const wholeExact = (x: bigint, how: Rounding, type: ExactType): number =>
  x === 0n ? 0 : round(x < 0n ? -x : x, 0, false, x < 0n, how, type);

/** a * b + c. */
export function fmaExact(a: number, b: number, c: number, how: Rounding, type: ExactType): number {
  // An infinite or undefined result is the same however it is rounded; but a * b may not overflow here.
  if (!finite(a, b)) return a * b + c;
  if (!finite(c)) return c;
  const [x, y, z] = [partsOf(a), partsOf(b), partsOf(c)];
  const exponent = Math.min(x.exponent + y.exponent, z.exponent);
  const product = (x.mantissa * y.mantissa) << BigInt(x.exponent + y.exponent - exponent);
  const sum = product + (z.mantissa << BigInt(z.exponent - exponent));
  if (sum !== 0n) return round(sum < 0n ? -sum : sum, exponent, false, sum < 0n, how, type);
  // A zero of two addends of one sign keeps it; another is negative only when rounding down (IEEE 754, 6.3).
  const negative = isNegative(a) !== isNegative(b);
  return withSign(0, negative === isNegative(c) ? negative : how === "rm");
}

export function divExact(a: number, b: number, how: Rounding, type: ExactType): number {
  if (!finite(a, b) || a === 0 || b === 0) return a / b;
  const [x, y] = [partsOf(Math.abs(a)), partsOf(Math.abs(b))];
  const shift = Math.max(0, formats[type].precision + 2 - lengthOf(x.mantissa) + lengthOf(y.mantissa));
  const dividend = x.mantissa << BigInt(shift);
  const quotient = dividend / y.mantissa;
  const more = quotient * y.mantissa !== dividend;
  return round(quotient, x.exponent - y.exponent - shift, more, isNegative(a) !== isNegative(b), how, type);
}

/** The greatest whole number whose square is not greater. */
function rootOf(x: bigint): bigint {
  let guess = 1n << BigInt((lengthOf(x) + 1) >> 1);
  for (;;) {
    const next = (guess + x / guess) >> 1n;
    if (next >= guess) return guess;
    guess = next;
  }
}

export function sqrtExact(x: number, how: Rounding, type: ExactType): number {
  if (!(x > 0) || !Number.isFinite(x)) return Math.sqrt(x);
  const { mantissa, exponent } = partsOf(x);
  const wanted = 2 * (formats[type].precision + 2);
  const least = Math.max(0, wanted - lengthOf(mantissa));
  const shift = least + ((exponent - least) & 1);
  const square = mantissa << BigInt(shift);
  const root = rootOf(square);
  return round(root, (exponent - shift) / 2, root * root !== square, false, how, type);
}
