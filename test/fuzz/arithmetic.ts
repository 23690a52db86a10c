/**
 * The language's typed arithmetic as plain JavaScript: what one element type can hold, and how results come to it. Written from
 * docs/language/numbers.md and IEEE 754, without anything of the package. 64-bit integers are bigints, bools booleans, all else numbers.
 */
import { limits, roundings } from "../cases/numbers.ts";
import { type FloatType, floatTypes, type IntType, integerTypes, isWideType, type Type } from "./program.ts";

export type Scalar = number | bigint | boolean;

/** The program left what the language defines: the generator's mistake, never that of the kernel. */
export class Undefined extends Error {}

/** An integer that has to lie in its type. There is one zero. */
function exact(type: IntType, x: number | bigint): number | bigint {
  const [low, high] = limits[type];
  if (typeof x === "number" && !Number.isInteger(x)) throw new Undefined(`${x} is no ${type}`);
  if (x < low || x > high) throw new Undefined(`${x} is outside ${type}`);
  return typeof x === "number" ? x + 0 : x;
}

/**
 * m * 2^e in one rounding to nearest even. What a double cannot hold is cut off and leaves a mark in its last bit, which no narrower type keeps.
 */
function roundExact(type: FloatType, m: bigint, e: number): number {
  const size = m < 0n ? -m : m;
  const drop = Math.max(size.toString(2).length - 53, -1074 - e, 0);
  const kept = size >> BigInt(drop);
  const rest = size - (kept << BigInt(drop));
  if (type !== "f64") return roundings[type](scaled(m < 0n, rest === 0n ? kept : kept | 1n, e + drop));
  const half = drop === 0 ? 1n : 1n << BigInt(drop - 1);
  return scaled(m < 0n, rest > half || (rest === half && (kept & 1n) === 1n) ? kept + 1n : kept, e + drop);
}

/** Exact, or out of the range of doubles: in two steps, of which none leaves it before the result does. */
function scaled(negative: boolean, m: bigint, e: number): number {
  const first = Math.max(-1000, Math.min(900, e));
  const x = Number(m) * 2 ** first * 2 ** (e - first);
  return negative ? -x : x;
}

/** A finite double as m * 2^e. */
function parts(x: number): readonly [bigint, number] {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 2047n);
  const size = (bits & (2n ** 52n - 1n)) | (exponent === 0 ? 0n : 2n ** 52n);
  return [x < 0 ? -size : size, Math.max(exponent, 1) - 1075];
}

/** a * b + c in one rounding. */
function fused(type: FloatType, a: number, b: number, c: number): number {
  if (![a, b, c].every(Number.isFinite)) return Number.isFinite(a) && Number.isFinite(b) ? c : a * b + c;
  const [x, y, z] = [parts(a), parts(b), parts(c)];
  const e = Math.min(x[1] + y[1], z[1]);
  const sum = ((x[0] * y[0]) << BigInt(x[1] + y[1] - e)) + (z[0] << BigInt(z[1] - e));
  if (sum !== 0n) return roundExact(type, sum, e);
  // Zero: that of two zeros, or 0 where numbers cancel.
  const zeros = (a === 0 || b === 0) && c === 0;
  return zeros ? a * b + c : 0;
}

/** Towards zero; out of range the nearest, of NaN 0. An integer has to fit. */
function toInteger(type: IntType, x: Scalar): number | bigint {
  const wide = isWideType(type);
  if (typeof x === "bigint") return exact(type, wide ? x : Number(x));
  const n = Number(x);
  const [low, high] = limits[type];
  const whole = Number.isNaN(n) ? 0 : Math.trunc(n) + 0;
  const fitting = whole < low ? low : whole > high ? high : BigInt(whole);
  return wide ? fitting : Number(fitting);
}

const toFloat = (type: FloatType, x: Scalar): number =>
  typeof x === "bigint" ? (x === 0n ? 0 : roundExact(type, x, 0)) : roundings[type](Number(x));

const word = new DataView(new ArrayBuffer(4));
const table = <K extends string, V>(keys: readonly K[], make: (key: K) => V): Readonly<Record<K, V>> =>
  Object.fromEntries(keys.map((key) => [key, make(key)])) as Record<K, V>;

type ToType = Readonly<Record<Type, (x: never) => Scalar>>;

/** A result of an operator, as its type holds it. */
const round: ToType = {
  ...table(integerTypes, (type) => (x: number | bigint) => exact(type, x)),
  ...table(floatTypes, (type) => roundings[type]),
  bool: (x: boolean) => x,
};
const convert: ToType = {
  ...table(integerTypes, (type) => (x: Scalar) => toInteger(type, x)),
  ...table(floatTypes, (type) => (x: Scalar) => toFloat(type, x)),
  bool: (x: Scalar) => Boolean(x),
};

function popcount(x: number): number {
  return (x >>> 0).toString(2).replaceAll("0", "").length;
}
function reverse(x: number): number {
  return Number.parseInt([...(x >>> 0).toString(2).padStart(32, "0")].reverse().join(""), 2);
}
function funnelShift(low: number, high: number, by: number): number {
  const wide = (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
  return Number(BigInt.asUintN(32, wide >> BigInt(by & 31)));
}
function bitsOfFloat(x: number): number {
  if (Number.isNaN(x)) throw new Undefined("the bits of NaN");
  word.setFloat32(0, x);
  return word.getInt32(0);
}
function floatOfBits(x: number): number {
  word.setInt32(0, x);
  const value = word.getFloat32(0);
  if (Number.isNaN(value)) throw new Undefined("the bits of NaN");
  return value;
}

function* range(start: number | bigint, stop: number | bigint, step: number | bigint): Generator<number | bigint> {
  for (let i = start; step > 0 ? i < stop : i > stop; i = ((i as number) + (step as number)) as number) yield i;
}

export const arithmetic = {
  round,
  convert,
  fma: table(floatTypes, (type) => (a: number, b: number, c: number) => fused(type, a, b, c)),
  popcount,
  reverse,
  funnelShift,
  bitsOfFloat,
  floatOfBits,
  range,
};
export type Arithmetic = typeof arithmetic;
