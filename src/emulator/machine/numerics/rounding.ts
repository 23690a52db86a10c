import { exponentOf, f64Low, neighbour, power } from "./bits.ts";
import type { Rounding } from "./exact.ts";
import { type ExactType, fmaExact } from "./exact.ts";

/** To a whole number, ties to even. Keeps the sign of zero. */
export function roundEven(x: number): number {
  const down = Math.floor(x);
  const rest = x - down;
  if (rest < 0.5) return Object.is(x, -0) ? -0 : down;
  if (rest > 0.5) return down === -1 ? -0 : down + 1;
  const even = down % 2 === 0 ? down : down + 1;
  return even === 0 && x < 0 ? -0 : even;
}

export function roundWhole(x: number, how: Rounding): number {
  if (!Number.isFinite(x)) return x;
  if (how === "rn") return roundEven(x);
  if (how === "rz") return Math.trunc(x);
  return how === "rm" ? Math.floor(x) : Math.ceil(x);
}

/** To so many significant bits, exponents not below `least`; there is no greatest exponent here. */
export function roundTo(x: number, bits: number, least: number, how: Rounding): number {
  if (x === 0 || !Number.isFinite(x)) return x;
  const unit = power(Math.max(exponentOf(x), least) - bits + 1);
  return roundWhole(x / unit, how) * unit;
}

const maxF32 = 3.4028234663852886e38;

/** A double to f32 under any rounding. */
export function roundF32(x: number, how: Rounding): number {
  if (how === "rn") return Math.fround(x);
  const rounded = roundTo(x, 24, -126, how);
  if (Math.abs(rounded) <= maxF32 || !Number.isFinite(x)) return rounded;
  const toInfinity = x > 0 ? how === "rp" : how === "rm";
  return toInfinity ? Math.sign(x) * Number.POSITIVE_INFINITY : Math.sign(x) * maxF32;
}

/** a + b, rounded to odd: what is rounded again to fewer bits is as if it had been rounded once (Boldo and Melquiond 2008). */
export function addOdd(a: number, b: number): number {
  const sum = a + b;
  const back = sum - a;
  const error = a - (sum - back) + (b - back);
  if (error === 0 || !Number.isFinite(sum) || Number.isNaN(error) || (f64Low(sum) & 1) === 1) return sum;
  return neighbour(sum, error > 0 === sum > 0);
}

/** fma.rn.f32: the product of two f32 is exact in doubles. */
export function fma32(a: number, b: number, c: number): number {
  const product = a * b;
  const sum = product + c;
  const rounded = Math.fround(sum);
  // Only a sum in the middle between two f32 can round the wrong way: as far from the one as from the other.
  const rest = sum - rounded;
  if (rest === 0) return rounded;
  const other = sum + rest;
  return Math.fround(other) === other ? Math.fround(addOdd(product, c)) : rounded;
}

/** add, sub, mul, fma of f32 under any rounding, by the product and sum exact but for the odd bit. */
export const fma32Rounded = (a: number, b: number, c: number, how: Rounding): number => {
  const exact = addOdd(a * b, c);
  if (exact === 0 && how === "rm" && !(a * b === 0 && c === 0 && Object.is(a * b, c))) return a * b + c === 0 ? -0 : exact;
  return roundF32(exact, how);
};

const splitter = 2 ** 27 + 1;

/** The error of a * b, where neither it nor its parts leave the range. */
function productError(a: number, b: number, product: number): number {
  const ta = splitter * a;
  const ah = ta - (ta - a);
  const al = a - ah;
  const tb = splitter * b;
  const bh = tb - (tb - b);
  const bl = b - bh;
  return al * bl - (product - ah * bh - al * bh - ah * bl);
}

/** Between them, no part of a product or a sum leaves the range. */
const [small, large, splittable] = [2 ** -898, 2 ** 1000, 2 ** 970];
const isModerate = (x: number): boolean => x > small && x < large;

/** fma.rn.f64, rounded once. */
export function fma64(a: number, b: number, c: number): number {
  const product = a * b;
  const isQuick =
    isModerate(Math.abs(product)) && Math.abs(a) < splittable && Math.abs(b) < splittable && (c === 0 || isModerate(Math.abs(c)));
  if (!isQuick) return fmaUnusual(a, b, c);
  const error = productError(a, b, product);
  const t = error + c;
  const tBack = t - c;
  const tError = c - (t - tBack) + (error - tBack);
  const v = product + t;
  const vBack = v - product;
  const vError = product - (v - vBack) + (t - vBack);
  return v + addOdd(tError, vError);
}

function fmaUnusual(a: number, b: number, c: number): number {
  if (Number.isFinite(a) && Number.isFinite(b) && !Number.isFinite(c)) return c;
  return a === 0 || b === 0 ? a * b + c : fmaExact(a, b, c, "rn", "f64");
}

/** Arithmetic in the roundings that JavaScript has not: `rz`, `rm`, `rp` (PTX ISA 9.7.3). Products and sums of f32 need no whole numbers. */
export const fmaRounded = (a: number, b: number, c: number, how: Rounding, type: ExactType): number =>
  type === "f32" ? fma32Rounded(a, b, c, how) : fmaExact(a, b, c, how, type);
export const addRounded = (a: number, b: number, how: Rounding, type: ExactType): number => fmaRounded(a, 1, b, how, type);
/** The zero that is added to the exact product has its sign. */
export const mulRounded = (a: number, b: number, how: Rounding, type: ExactType): number =>
  type === "f32" ? roundF32(a * b, how) : fmaExact(a, b, Object.is(Math.sign(a) * Math.sign(b) * 0, -0) ? -0 : 0, how, type);
