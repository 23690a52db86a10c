import { bitsOf, integerRange, isInteger, isSigned, type Literal, type ScalarType, type Type } from "../../ir/index.ts";

/** The least and the greatest integer that a value may be; ±Infinity from 2^53 on. */
export type Interval = readonly [least: number, most: number];

/** Which values something may be. A rule may leave it wider than it is; `exactly` and `wrapped` draw each part in by the others. */
export interface Bounds {
  readonly least: number;
  readonly most: number;
  /** Which of the low 32 bits may be set, of the value in two's complement: narrower types extended as they are when converted. */
  readonly bits: number;
  /** What divides the value for certain; 0 where the value is 0. */
  readonly divisor: number;
}

/**
 * What is known of one value. Predicates are integers here: 0 or 1. Of other values only the literal that they are, where they are
 * always the same one.
 */
export interface Known extends Bounds {
  readonly literal: Literal | undefined;
}

const safe = Number.MAX_SAFE_INTEGER;

/** Nothing at all, as rules give it. */
export const anything: Bounds = {
  least: Number.NEGATIVE_INFINITY,
  most: Number.POSITIVE_INFINITY,
  bits: -1,
  divisor: 1,
};

/** Is it counted in whole numbers? Predicates are. */
export const isWhole = (type: Type): type is ScalarType => type === "pred" || isInteger(type);

/** What an integer type holds; of 64 bits only the sign is told. */
export function rangeOf(type: Type): Interval {
  if (!isWhole(type)) return [anything.least, anything.most];
  if (bitsOf(type) === 64) return [isSigned(type) ? anything.least : 0, anything.most];
  const [least, most] = integerRange(type);
  return [Number(least), Number(most)];
}

/** The greatest number that divides both; 0 is a multiple of everything. */
export function gcd(a: number, b: number): number {
  let [x, y] = [a, b];
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}

const lowest = (bits: number): number => (bits & -bits) >>> 0;

/** The greatest power of two that divides a number from 0 to 2^53; 0 of 0. */
export function powerIn(n: number): number {
  const low = n | 0;
  if (low !== 0) return lowest(low);
  return lowest(n / 2 ** 32) * 2 ** 32;
}

/** What divides a product of multiples. A number that is too great to be told exactly gives way to the power of two in it. */
export function timesDivisor(a: number, b: number): number {
  const product = a * b;
  return product <= safe ? product : Math.max(a, b, Math.min(powerIn(a) * powerIn(b), 2 ** 52));
}

/** All bits up to the highest one of a number that is not negative. */
export const bitsBelow = (most: number): number => (most >= 2 ** 31 ? -1 : most < 1 ? 0 : 2 ** (32 - Math.clz32(most)) - 1);

/** The bits of a value that is cut to its type. */
function cut(bits: number, type: ScalarType): number {
  const above = bitsOf(type) >= 32 ? 0 : -1 << bitsOf(type);
  const sign = isSigned(type) && (bits & (1 << (bitsOf(type) - 1))) !== 0;
  return sign ? bits | above : bits & ~above;
}

const literalAs = (type: ScalarType, n: number): Literal => (type === "pred" ? n === 1 : bitsOf(type) === 64 ? BigInt(n) : n);

/** Numbers that doubles do not tell exactly are taken for less, and for more. */
const outwards = (least: number, most: number): Interval => [
  least > safe ? safe : least < -safe ? Number.NEGATIVE_INFINITY : least,
  most > safe ? Number.POSITIVE_INFINITY : most < -safe ? -safe : most,
];

/** The multiples of a number within an interval. */
function multiples([least, most]: Interval, of: number): Interval {
  if (of === 0) return [Math.max(least, 0), Math.min(most, 0)];
  if (of === 1) return [least, most];
  const [below, above] = [least % of, most % of];
  return [
    Number.isFinite(least) ? least - below + (below > 0 ? of : 0) : least,
    Number.isFinite(most) ? most - above - (above < 0 ? of : 0) : most,
  ];
}

/** A divisor that holds as well as the zeros at the low end of the bits. */
function withZeros(divisor: number, bits: number, width: number): number {
  const zeros = bits !== 0 ? lowest(bits) : width > 32 ? 2 ** 32 : 0;
  if (zeros === 0 || divisor === 0) return 0;
  const power = powerIn(divisor);
  const both = (divisor / power) * zeros;
  return zeros > power && both <= safe ? both : divisor;
}

/** What is known of every value of a type. */
export function top(type: Type): Known {
  if (!isWhole(type)) return { ...anything, literal: undefined };
  const [least, most] = rangeOf(type);
  return { least, most, bits: cut(-1, type), divisor: 1, literal: undefined };
}

/** A value that its type holds: what each part says of the others. */
export function exactly(type: ScalarType, value: Bounds): Known {
  const [low, high] = rangeOf(type);
  const width = bitsOf(type);
  let [least, most] = outwards(Math.max(value.least, low), Math.min(value.most, high));
  let bits = least >= 0 ? value.bits & bitsBelow(most) : value.bits;
  if (width <= 32 && (bits >= 0 || !isSigned(type))) {
    least = Math.max(least, 0);
    most = Math.min(most, bits >>> 0);
  }
  const divisor = withZeros(value.divisor, bits, width);
  bits &= -powerIn(divisor);
  [least, most] = multiples([least, most], divisor);
  // The value does not exist: the code around it never runs.
  if (least > most) return top(type);
  if (least === most && Math.abs(least) < safe) return constant(type, literalAs(type, least + 0));
  return { least, most, bits, divisor, literal: undefined };
}

/** A value that is cut to its type. Where it may not fit, only powers of two still divide what is left. */
export function wrapped(type: ScalarType, value: Bounds): Known {
  const [low, high] = rangeOf(type);
  const { least, most } = value;
  const fits = least >= low && most <= high && Math.abs(least) <= safe && Math.abs(most) <= safe;
  if (fits) return exactly(type, value);
  const power = powerIn(value.divisor);
  const divisor = power >= 2 ** bitsOf(type) ? 0 : power;
  return exactly(type, { least: low, most: high, bits: cut(value.bits, type), divisor });
}

/** A value that is known to be a literal. */
export function constant(type: Type, literal: Literal): Known {
  if (!isWhole(type)) return { ...anything, literal };
  const n = Number(literal);
  const [least, most] = outwards(n, n);
  const size = typeof literal === "bigint" && Math.abs(n) > safe ? powerOf(literal) : Math.abs(n);
  return { least, most, bits: Number(BigInt.asIntN(32, BigInt(literal))), divisor: size, literal };
}

/** The power of two in a literal of 64 bits, as far as a divisor tells it. */
const powerOf = (literal: bigint): number => Math.min(Number(literal & -literal), 2 ** 52);

/** What holds of either. */
export function either(type: Type, a: Known, b: Known): Known {
  if (a === b) return a;
  const literal = Object.is(a.literal, b.literal) ? a.literal : undefined;
  if (!isWhole(type)) return { ...anything, literal };
  if (literal !== undefined) return a;
  const [least, most] = [Math.min(a.least, b.least), Math.max(a.most, b.most)];
  return exactly(type, { least, most, bits: a.bits | b.bits, divisor: gcd(a.divisor, b.divisor) });
}

export const alike = (a: Known, b: Known): boolean =>
  a.least === b.least && a.most === b.most && a.bits === b.bits && a.divisor === b.divisor && Object.is(a.literal, b.literal);

/** Where a range that grows from iteration to iteration is let go to, one after the other, so that it soon stands still. */
const floors = [0, -1, -16, -256, -65536];
const ceilings = [0, 15, 255, 65535];

/** A value that keeps growing as iterations are looked at: `times` says how often it has. */
export function widened(type: Type, before: Known, now: Known, times: number): Known {
  if (!isWhole(type) || times < 3) return now;
  if (times > 40) return top(type);
  const [low, high] = rangeOf(type);
  const least = now.least < before.least ? (floors.find((n) => n <= now.least) ?? low) : now.least;
  const most = now.most > before.most ? (ceilings.find((n) => n >= now.most) ?? high) : now.most;
  const bits = times > 12 && now.bits !== before.bits ? -powerIn(now.bits >>> 0) : now.bits;
  return exactly(type, { least, most, bits, divisor: now.divisor });
}
