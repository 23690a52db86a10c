/**
 * What the element types can hold, in plain JavaScript: written from their definitions (IEEE 754, bfloat16, OCP fp8) and
 * independently of the package, so that the two check each other.
 */
import { f16round } from "@petamoriken/float16";

export const floatTypes = ["f16", "bf16", "f32", "f64"] as const;
export type FloatType = (typeof floatTypes)[number];
export const smallInts = ["i8", "u8", "i16", "u16"] as const;
export const words = ["i32", "u32"] as const;
export const wides = ["i64", "u64"] as const;
export type IntType = (typeof smallInts)[number] | (typeof words)[number];
export type WideType = (typeof wides)[number];

export function count(n: number): number[] {
  const numbers: number[] = [];
  for (let i = 0; i < n; i++) numbers.push(i);
  return numbers;
}

/** Bytes of an element of two and more; the others have one. */
const wideBytes: Readonly<Record<string, number>> = {
  ...{ f64: 8, i64: 8, u64: 8 },
  ...{ f32: 4, tf32: 4, i32: 4, u32: 4 },
  ...{ f16: 2, bf16: 2, i16: 2, u16: 2 },
};
export const bytesOf = (dtype: string): number => wideBytes[dtype] ?? 1;

/** What memory holds after an atomic operation, or one that combines. */
export const combined = {
  add: (a: bigint, b: bigint) => a + b,
  min: (a: bigint, b: bigint) => (a < b ? a : b),
  max: (a: bigint, b: bigint) => (a > b ? a : b),
  and: (a: bigint, b: bigint) => a & b,
  or: (a: bigint, b: bigint) => a | b,
  xor: (a: bigint, b: bigint) => a ^ b,
} as const;

/** To a float of `mantissa` stored bits and smallest normal exponent `least`; `overflow` for what is beyond `most`. */
function roundTo(x: number, mantissa: number, least: number, most: number, overflow: number): number {
  if (Number.isNaN(x) || x === 0) return x;
  const magnitude = Math.abs(x);
  if (magnitude === Number.POSITIVE_INFINITY) return Math.sign(x) * overflow;
  let exponent = Math.floor(Math.log2(magnitude));
  if (2 ** exponent > magnitude) exponent--;
  if (2 ** (exponent + 1) <= magnitude) exponent++;
  const quantum = 2 ** (Math.max(exponent, least) - mantissa);
  const units = magnitude / quantum;
  const down = Math.floor(units);
  const rest = units - down;
  const whole = rest > 0.5 || (rest === 0.5 && down % 2 === 1) ? down + 1 : down;
  const value = whole * quantum;
  return Math.sign(x) * (value > most ? overflow : value) || (x < 0 ? -0 : 0);
}

export const roundings: Readonly<Record<FloatType | "e4m3" | "e5m2", (x: number) => number>> = {
  f16: f16round,
  bf16: (x) => roundTo(x, 7, -126, 2 ** 127 * (2 - 2 ** -7), Number.POSITIVE_INFINITY),
  f32: Math.fround,
  f64: (x) => x,
  e4m3: (x) => roundTo(x, 3, -6, 448, 448),
  e5m2: (x) => roundTo(x, 2, -14, 57344, 57344),
};

export const limits: Readonly<Record<IntType | WideType, readonly [bigint, bigint]>> = {
  i8: [-128n, 127n],
  u8: [0n, 255n],
  i16: [-32768n, 32767n],
  u16: [0n, 65535n],
  i32: [-(2n ** 31n), 2n ** 31n - 1n],
  u32: [0n, 2n ** 32n - 1n],
  i64: [-(2n ** 63n), 2n ** 63n - 1n],
  u64: [0n, 2n ** 64n - 1n],
};

export function fits(type: IntType | WideType, x: number | bigint): boolean {
  if (typeof x === "number" && !Number.isInteger(x)) return false;
  const [low, high] = limits[type];
  return BigInt(x) >= low && BigInt(x) <= high;
}

/** Towards zero; what is out of range becomes the nearest, NaN becomes 0. */
export function saturate(type: IntType | WideType, x: number): bigint {
  const [low, high] = limits[type];
  if (Number.isNaN(x)) return 0n;
  if (x === Number.POSITIVE_INFINITY) return high;
  if (x === Number.NEGATIVE_INFINITY) return low;
  const whole = BigInt(Math.trunc(x));
  return whole < low ? low : whole > high ? high : whole;
}

const extremes: Readonly<Record<FloatType, readonly [largest: number, normal: number, smallest: number]>> = {
  f16: [65504, 2 ** -14, 2 ** -24],
  bf16: [2 ** 127 * (2 - 2 ** -7), 2 ** -126, 2 ** -133],
  f32: [2 ** 127 * (2 - 2 ** -23), 2 ** -126, 2 ** -149],
  f64: [Number.MAX_VALUE, 2 ** -1022, Number.MIN_VALUE],
};

/** Zeros, infinities, NaN, the smallest and largest of the type, halves and thirds. */
export function edgeFloats(type: FloatType): number[] {
  const [largest, normal, smallest] = extremes[type];
  const special = [0, Number.NaN, Number.POSITIVE_INFINITY, largest, normal, smallest, normal - smallest];
  const plain = [0.5, 1, 1.5, 2, 2.5, 3, 7, 10, 0.1, 1 / 3, 100.7, 4097];
  const values = [...special, ...plain].map(roundings[type]);
  return [...values, ...values.map((x) => -x)];
}

/** Zero, one, the ends of the type and a few between. */
export function edgeInts(type: IntType | WideType): bigint[] {
  const [low, high] = limits[type];
  const plain = [0n, 1n, 2n, 3n, 5n, 7n, 10n, 31n, 32n, 33n, 100n, 127n, 1000n, 46340n, 65535n, 123456789n, 2n ** 40n + 5n];
  const all = [...plain, ...plain.map((x) => -x), low, low + 1n, high, high - 1n, high / 2n];
  return [...new Set(all.filter((x) => x >= low && x <= high))];
}

/** All pairs that `keep` lets through, as two columns. */
export function pairsOf<T>(values: readonly T[], keep: (a: T, b: T) => boolean = () => true): { a: T[]; b: T[] } {
  const pairs = values.flatMap((a) => values.filter((b) => keep(a, b)).map((b) => [a, b] as const));
  return { a: pairs.map(([a]) => a), b: pairs.map(([, b]) => b) };
}

/** Evenly spread numbers in [0, 1), the same every time. */
export function uniform(count: number, seed = 1): Float64Array {
  let state = (seed * 2654435761) >>> 0 || 1;
  return Float64Array.from({ length: count }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  });
}

/** Whole numbers from `low` to `high`, the same every time. */
export const integers = (count: number, low: number, high: number, seed = 1): number[] =>
  Array.from(uniform(count, seed), (u) => low + Math.floor(u * (high - low + 1)));
