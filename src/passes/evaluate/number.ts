import { roundFloat } from "../../base/small-floats.ts";
import { bitsOf, integerRange, isInteger, isSigned, type Literal, type ScalarType } from "../../ir/index.ts";

/** Exact arithmetic of the op graph's scalar types. 64-bit integers are bigint, the other numbers number. `undefined`: not known here. */

/** To the nearest integer, ties to even, with the sign of x. */
export function roundEven(x: number): number {
  if (!Number.isFinite(x) || Math.abs(x) >= 2 ** 52) return x;
  const low = Math.floor(x);
  const rest = x - low;
  const up = rest > 0.5 || (rest === 0.5 && low % 2 !== 0);
  const result = up ? low + 1 : low;
  return result === 0 ? (x < 0 || Object.is(x, -0) ? -0 : 0) : result;
}

/** x in that float type, to nearest even; undefined for the 8-bit ones, whose rounding is the hardware's to say. */
export function roundTo(type: ScalarType, x: number): number | undefined {
  if (type === "f64") return x;
  if (type === "f32") return Math.fround(x);
  return type === "f16" || type === "bf16" ? roundFloat(type, x) : undefined;
}

/** The low bits of x, as that integer type has them. */
export function wrapTo(type: ScalarType, x: bigint): number | bigint {
  const bits = bitsOf(type);
  const low = isSigned(type) ? BigInt.asIntN(bits, x) : BigInt.asUintN(bits, x);
  return bits === 64 ? low : Number(low);
}

const unsigned = (type: ScalarType, x: bigint): bigint => BigInt.asUintN(bitsOf(type), x);
const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const larger = (a: bigint, b: bigint): bigint => (a < b ? b : a);

/** Shift counts are taken modulo the width. */
const count = (type: ScalarType, by: bigint): bigint => BigInt.asUintN(32, by) % BigInt(bitsOf(type));

type IntegerRule = (a: bigint, b: bigint, type: ScalarType) => bigint | undefined;

const integerRules: Readonly<Record<string, IntegerRule>> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  "mul.hi": (a, b, type) => (a * b) >> BigInt(bitsOf(type)),
  div: (a, b) => (b === 0n ? 0n : a / b),
  rem: (a, b) => (b === 0n ? 0n : a % b),
  min: smaller,
  max: larger,
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
  shl: (a, by, type) => a << count(type, by),
  shr: (a, by, type) => a >> count(type, by),
};

const floatRules: Readonly<Record<string, (a: number, b: number) => number>> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  div: (a, b) => a / b,
  rem: (a, b) => a % b,
  min: Math.min,
  max: Math.max,
};

const logicRules: Readonly<Record<string, (a: boolean, b: boolean) => boolean>> = {
  and: (a, b) => a && b,
  or: (a, b) => a || b,
  xor: (a, b) => a !== b,
};

/** A NaN's bits are the hardware's choice, so results that are NaN are left to it. */
const known = (x: number | undefined): number | undefined => (x === undefined || Number.isNaN(x) ? undefined : x);

/** `a name b` in that type. One rounding in f64 before that to f16, bf16 or f32 changes nothing: f64 has twice their bits and two more. */
export function binary(name: string, type: ScalarType, a: Literal, b: Literal): Literal | undefined {
  if (typeof a === "boolean" || typeof b === "boolean") return logicRules[name]?.(a === true, b === true);
  if (isInteger(type)) {
    const result = integerRules[name]?.(BigInt(a), BigInt(b), type);
    return result === undefined ? undefined : wrapTo(type, result);
  }
  const x = roundTo(type, Number(a));
  const y = roundTo(type, Number(b));
  const rule = floatRules[name];
  return x === undefined || y === undefined || !rule ? undefined : known(roundTo(type, rule(x, y)));
}

const roundings: Readonly<Record<string, (x: number) => number>> = {
  ni: roundEven,
  zi: Math.trunc,
  mi: Math.floor,
  pi: Math.ceil,
};

/** `round` with that mode. */
export const roundInteger = (mode: string, type: ScalarType, a: number): number | undefined => {
  const x = roundTo(type, a);
  return x === undefined ? undefined : known(roundings[mode]?.(x));
};

function bitCount(x: bigint): number {
  let n = 0;
  for (let rest = x; rest !== 0n; rest &= rest - 1n) n++;
  return n;
}

function reversed(x: bigint, bits: number): bigint {
  let out = 0n;
  for (let i = 0; i < bits; i++) if ((x >> BigInt(i)) & 1n) out |= 1n << BigInt(bits - 1 - i);
  return out;
}

function integerUnary(name: string, type: ScalarType, a: bigint): Literal | undefined {
  const bits = bitsOf(type);
  const plain = unsigned(type, a);
  switch (name) {
    case "neg":
      return wrapTo(type, -a);
    case "abs":
      return wrapTo(type, a < 0n ? -a : a);
    case "not":
      return wrapTo(type, ~a);
    case "popc":
      return bitCount(plain);
    case "clz":
      return bits < 32 ? undefined : bits - (plain === 0n ? 0 : plain.toString(2).length);
    case "brev":
      return bits < 32 ? undefined : wrapTo(type, reversed(plain, bits));
    default:
      return undefined;
  }
}

/** An op of one operand. */
export function unary(name: string, type: ScalarType, a: Literal): Literal | undefined {
  if (typeof a === "boolean") return name === "not" ? !a : undefined;
  if (isInteger(type)) return integerUnary(name, type, BigInt(a));
  const x = roundTo(type, Number(a));
  if (x === undefined) return undefined;
  if (name === "neg") return known(-x);
  if (name === "abs") return known(Math.abs(x));
  return name === "sqrt" ? known(roundTo(type, Math.sqrt(x))) : undefined;
}

/** a * b + c in one rounding, where f64 holds the sum exactly. */
export function fused(type: ScalarType, a: number, b: number, c: number): number | undefined {
  if (type === "f64") return undefined;
  const [x, y, z] = [roundTo(type, a), roundTo(type, b), roundTo(type, c)];
  if (x === undefined || y === undefined || z === undefined) return undefined;
  const product = x * y;
  const sum = product + z;
  const back = sum - product;
  const exact = product - (sum - back) + (z - back) === 0;
  return exact ? known(roundTo(type, sum)) : undefined;
}

const comparisons: Readonly<Record<string, (a: number | bigint | boolean, b: number | bigint | boolean) => boolean>> = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
};

/** A comparison as JavaScript and IEEE have it. */
export function compare(is: string, type: ScalarType, a: Literal, b: Literal): boolean | undefined {
  const exact = (v: Literal): Literal | undefined => (typeof v === "number" && !isInteger(type) ? roundTo(type, v) : v);
  const x = exact(a);
  const y = exact(b);
  return x === undefined || y === undefined ? undefined : comparisons[is]?.(x, y);
}

function toInteger(to: ScalarType, x: number): number | bigint {
  const [low, high] = integerRange(to);
  if (Number.isNaN(x)) return wrapTo(to, 0n);
  if (x >= Number(high)) return wrapTo(to, high);
  return wrapTo(to, x <= Number(low) ? low : BigInt(Math.trunc(x)));
}

/** `convert`. */
export function converted(from: ScalarType, to: ScalarType, a: Literal): Literal | undefined {
  if (to === "pred") return from === "pred" ? a : undefined;
  if (typeof a === "boolean") return isInteger(to) ? wrapTo(to, a ? 1n : 0n) : roundTo(to, a ? 1 : 0);
  if (isInteger(from) && isInteger(to)) return wrapTo(to, BigInt(a));
  if (isInteger(from)) return to === "f64" || Math.abs(Number(a)) <= 2 ** 53 ? roundTo(to, Number(a)) : undefined;
  const x = roundTo(from, Number(a));
  if (x === undefined) return undefined;
  return isInteger(to) ? toInteger(to, x) : known(roundTo(to, x));
}

const views: Partial<Record<ScalarType, readonly [get: (v: DataView) => Literal, set: (v: DataView, x: Literal) => void]>> = {
  i32: [(v) => v.getInt32(0), (v, x) => v.setInt32(0, Number(x))],
  u32: [(v) => v.getUint32(0), (v, x) => v.setUint32(0, Number(x))],
  f32: [(v) => v.getFloat32(0), (v, x) => v.setFloat32(0, Number(x))],
  i64: [(v) => v.getBigInt64(0), (v, x) => v.setBigInt64(0, BigInt(x))],
  u64: [(v) => v.getBigUint64(0), (v, x) => v.setBigUint64(0, BigInt(x))],
  f64: [(v) => v.getFloat64(0), (v, x) => v.setFloat64(0, Number(x))],
};

/** `bitcast` between types of 32 or 64 bits. */
export function bitcast(from: ScalarType, to: ScalarType, a: Literal): Literal | undefined {
  const write = views[from]?.[1];
  const read = views[to]?.[0];
  if (!write || !read || bitsOf(from) !== bitsOf(to) || Number.isNaN(a)) return undefined;
  const view = new DataView(new ArrayBuffer(8));
  write(view, a);
  const result = read(view);
  return Number.isNaN(result) ? undefined : result;
}

/** `shf`: 32 bits of high:low. */
export function funnel(type: ScalarType, direction: string, low: Literal, high: Literal, by: Literal): Literal | undefined {
  if (bitsOf(type) !== 32) return undefined;
  const both = (BigInt.asUintN(32, BigInt(high)) << 32n) | BigInt.asUintN(32, BigInt(low));
  const n = BigInt(by) & 31n;
  return wrapTo(type, direction === "r" ? both >> n : (both << n) >> 32n);
}
