/** Exact numbers as fractions of whole numbers, and whether a float is the right one for them under a rounding. */

export interface Rational {
  readonly n: bigint;
  /** Greater than 0. */
  readonly d: bigint;
}

export type FloatType = "f32" | "f64";
export type Rounding = "rn" | "rz" | "rm" | "rp";

const view = new DataView(new ArrayBuffer(8));
const layouts = { f32: { fraction: 23n, bias: 127n, top: 255n }, f64: { fraction: 52n, bias: 1023n, top: 2047n } } as const;

export function bitsOfFloat(x: number, type: FloatType): bigint {
  if (type === "f32") view.setFloat32(0, x);
  else view.setFloat64(0, x);
  return type === "f32" ? BigInt(view.getUint32(0)) : view.getBigUint64(0);
}
export function floatOfBits(bits: bigint, type: FloatType): number {
  if (type === "f32") view.setUint32(0, Number(bits));
  else view.setBigUint64(0, bits);
  return type === "f32" ? view.getFloat32(0) : view.getFloat64(0);
}

/** From the bits, so that nothing is rounded on the way. An infinity counts as the number after the greatest. */
export function rational(x: number, type: FloatType = "f64"): Rational {
  const { fraction, bias, top } = layouts[type];
  const bits = bitsOfFloat(Math.abs(x), type);
  const e = bits >> fraction;
  const mantissa = (bits & ((1n << fraction) - 1n)) | (e === 0n ? 0n : 1n << fraction);
  const exponent = (e === 0n ? 1n : e > top ? top : e) - bias - fraction;
  const n = exponent > 0n ? mantissa << exponent : mantissa;
  return { n: x < 0 ? -n : n, d: exponent < 0n ? 1n << -exponent : 1n };
}

export const plus = (a: Rational, b: Rational): Rational => ({ n: a.n * b.d + b.n * a.d, d: a.d * b.d });
export const times = (a: Rational, b: Rational): Rational => ({ n: a.n * b.n, d: a.d * b.d });
export const over = (a: Rational, b: Rational): Rational =>
  b.n < 0n ? { n: -a.n * b.d, d: a.d * -b.n } : { n: a.n * b.d, d: a.d * b.n };
export const compare = (a: Rational, b: Rational): number => {
  const [x, y] = [a.n * b.d, b.n * a.d];
  return x < y ? -1 : x > y ? 1 : 0;
};

/** The next float away from zero, or towards it. */
function next(x: number, type: FloatType, outwards: boolean): number {
  const bits = bitsOfFloat(Math.abs(x), type) + (outwards ? 1n : -1n);
  const magnitude = floatOfBits(bits, type);
  return x < 0 || Object.is(x, -0) ? -magnitude : magnitude;
}

/** `order` says how the exact number lies to a given one: below -1, equal 0, above 1. Only for numbers of one sign. */
export type Order = (to: Rational) => number;

/** Whether the float is what the exact number, which is positive, rounds to. */
function rightMagnitude(x: number, order: Order, how: "rn" | "down" | "up", type: FloatType): boolean {
  const at = rational(x, type);
  const place = order(at);
  if (place === 0) return Number.isFinite(x);
  if (how === "down")
    return (
      (Number.isFinite(x) && place > 0 && order(rational(next(x, type, true), type)) < 0) || (place > 0 && x === greatest(type))
    );
  if (how === "up")
    return (
      (place < 0 && x !== 0 && order(rational(next(x, type, false), type)) > 0) ||
      (x === Number.POSITIVE_INFINITY && order(rational(greatest(type), type)) > 0)
    );
  const other = rational(place > 0 ? (Number.isFinite(x) ? next(x, type, true) : x) : next(x, type, false), type);
  if (!Number.isFinite(x) && place > 0) return true;
  const middle = { ...plus(at, other) };
  const side = order({ n: middle.n, d: 2n * middle.d });
  if (side === 0) return (bitsOfFloat(x, type) & 1n) === 0n;
  return place > 0 ? side < 0 : side > 0;
}
const greatest = (type: FloatType): number => (type === "f32" ? 3.4028234663852886e38 : Number.MAX_VALUE);

/** `exact` is not zero. */
export function isRounded(x: number, exact: Rational, how: Rounding, type: FloatType): boolean {
  const negative = exact.n < 0n;
  if ((x < 0 || Object.is(x, -0)) !== negative) return false;
  const magnitude = negative ? { n: -exact.n, d: exact.d } : exact;
  return isRoundedOrder(Math.abs(x), (to) => compare(magnitude, to), how, type, negative);
}

export function isRoundedOrder(x: number, order: Order, how: Rounding, type: FloatType, negative = false): boolean {
  const direction = how === "rn" ? "rn" : how === "rz" || (how === "rm") !== negative ? "down" : "up";
  return rightMagnitude(x, order, direction, type);
}
