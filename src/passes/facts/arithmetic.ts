import { type Bounds, bitsBelow, gcd, type Interval, type Known, timesDivisor } from "./known.ts";

/** What an op of two integers gives, before it is cut to its type: for each fact a rule. */
export interface Arithmetic {
  readonly range: (a: Known, b: Known) => Interval;
  readonly bits: (a: Known, b: Known) => number;
  readonly divisor: (a: Known, b: Known) => number;
}

const anyBits = (): number => -1;

export const everything: Interval = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
const corners = (list: readonly number[]): Interval => [Math.min(...list), Math.max(...list)];
const ofCorners = (a: Bounds, b: Bounds, f: (x: number, y: number) => number): Interval =>
  corners([f(a.least, b.least), f(a.least, b.most), f(a.most, b.least), f(a.most, b.most)]);

const times = (x: number, y: number): number => (x === 0 || y === 0 ? 0 : x * y);

/** x / y towards zero, exact for whole numbers. */
function over(x: number, y: number): number {
  if (!Number.isFinite(x)) return Number.isFinite(y) ? x * Math.sign(y) : 0;
  return Number.isFinite(y) ? (x - (x % y)) / y : 0;
}

const only = (x: Known): number | undefined => (x.least === x.most ? x.least : undefined);
const positive = (...list: readonly Known[]): boolean => list.every(({ least }) => least >= 0);
const size = (x: Known): number => Math.max(Math.abs(x.least), Math.abs(x.most));

/** A sum has the bits of its parts, and those that a carry may set: most are carried where all bits that may be set are. */
const sumBits = (a: number, b: number): number => a | b | (a + b);

/** A product with a literal is a sum of shifted bits. */
function productBits(a: number, n: number): number {
  let sum = 0;
  for (let i = 0; i < 32; i++) if ((n >>> i) & 1) sum = sumBits(sum, a << i);
  return sum;
}

const either = (a: Known, b: Known): number => a.bits | b.bits;

/** No bit that may be set in both: their `or` and their `xor` are the sum. */
const apart = (a: Known, b: Known): boolean => positive(a, b) && a.most < 2 ** 32 && b.most < 2 ** 32 && (a.bits & b.bits) === 0;

const sum: Arithmetic = {
  range: (a, b) => [a.least + b.least, a.most + b.most],
  bits: (a, b) => sumBits(a.bits, b.bits),
  divisor: (a, b) => gcd(a.divisor, b.divisor),
};

const together: Arithmetic = {
  range: (a, b) => {
    if (apart(a, b)) return [a.least + b.least, a.most + b.most];
    return positive(a, b) ? [0, below(Math.max(a.most, b.most))] : everything;
  },
  bits: either,
  divisor: (a, b) => (apart(a, b) ? gcd(a.divisor, b.divisor) : 1),
};

/** The greatest number that has no more bits. */
const below = (most: number): number => (most < 2 ** 32 ? bitsBelow(most) >>> 0 : Number.POSITIVE_INFINITY);

/** What an exact quotient is divided by. */
function quotientDivisor(a: Known, b: Known): number {
  const by = only(b);
  return by !== undefined && by !== 0 && a.divisor % by === 0 ? Math.abs(a.divisor / by) : 1;
}

function quotient(a: Known, b: Known): Interval {
  if (b.least > 0 || b.most < -1) return ofCorners(a, b, over);
  // The least number over -1 wraps, and a / 0 is 0.
  if (positive(a, b)) return [0, a.most];
  return b.least > -1 && Number.isFinite(size(a)) ? [-size(a), size(a)] : everything;
}

function remainder(a: Known, b: Known): Interval {
  const most = Math.max(size(b) - 1, 0);
  return [a.least >= 0 ? 0 : Math.max(a.least, -most), a.most <= 0 ? 0 : Math.min(a.most, most)];
}

/** Is every value of `a` less than every one of `b`, so that the remainder is `a`? */
const within = (a: Known, b: Known): boolean => a.least >= 0 && b.least > a.most;

const isPower = (n: number | undefined): n is number =>
  n !== undefined && n > 0 && n <= 2 ** 31 && Number.isInteger(Math.log2(n));

const rest: Arithmetic = {
  range: (a, b) => (within(a, b) ? [a.least, a.most] : remainder(a, b)),
  bits: (a, b) => {
    const by = only(b);
    return within(a, b) ? a.bits : isPower(by) && a.least >= 0 ? a.bits & (by - 1) : -1;
  },
  divisor: (a, b) => (within(a, b) ? a.divisor : gcd(a.divisor, b.divisor)),
};

/** Do the bits of `b` leave `a` as it is? */
const leaves = (a: Known, b: Known): boolean => {
  const mask = only(b);
  return mask !== undefined && isPower(mask + 1) && a.least >= 0 && a.most <= mask;
};

const conjunction: Arithmetic = {
  range: (a, b) => {
    if (leaves(a, b)) return [a.least, a.most];
    const tops = [a, b].filter((x) => positive(x)).map(({ most }) => most);
    return tops.length > 0 ? [0, Math.min(...tops)] : everything;
  },
  bits: (a, b) => a.bits & b.bits,
  divisor: (a, b) => (leaves(a, b) ? a.divisor : 1),
};

/** A shift count as the power of two that it multiplies by; undefined where it goes around the width. */
export function powerOfShift(by: Known, width: number): Known | undefined {
  if (by.least < 0 || by.most >= width) return undefined;
  const [least, most] = [2 ** by.least, 2 ** by.most];
  return { least, most, bits: by.least === by.most ? least | 0 : -1, divisor: least, literal: undefined };
}

const product: Arithmetic = {
  range: (a, b) => ofCorners(a, b, times),
  bits: (a, b) => {
    const [x, y] = [only(a), only(b)];
    return y !== undefined ? productBits(a.bits, y) : x !== undefined ? productBits(b.bits, x) : -1;
  },
  divisor: (a, b) => timesDivisor(a.divisor, b.divisor),
};

/** Integer arithmetic, as facts about its results. */
export const arithmetic = {
  add: sum,
  sub: { range: (a, b) => [a.least - b.most, a.most - b.least], bits: anyBits, divisor: sum.divisor },
  mul: product,
  div: {
    range: quotient,
    bits: (a, b) => {
      const by = only(b);
      return isPower(by) && positive(a) && a.most < 2 ** 32 ? a.bits >>> Math.log2(by) : -1;
    },
    divisor: quotientDivisor,
  },
  rem: rest,
  min: {
    range: (a, b) => [Math.min(a.least, b.least), Math.min(a.most, b.most)],
    bits: either,
    divisor: sum.divisor,
  },
  max: {
    range: (a, b) => [Math.max(a.least, b.least), Math.max(a.most, b.most)],
    bits: either,
    divisor: sum.divisor,
  },
  and: conjunction,
  or: {
    ...together,
    range: (a, b) => {
      const [least, most] = together.range(a, b);
      return [positive(a, b) ? Math.max(a.least, b.least) : least, most];
    },
  },
  xor: together,
} as const satisfies Readonly<Record<string, Arithmetic>>;
