import type { Literal, Op, OpName, ScalarType, Value } from "../../ir/index.ts";
import type { Trace } from "../trace.ts";

/** Integer arithmetic that the dsl itself needs: addresses, lanes, rows. Constants are folded where they meet. */

/** The one result of an op. */
export function first<K extends OpName>(op: Op<K>): Value {
  const [value] = op.results;
  if (!value) throw new Error(`${op.name} gives nothing`);
  return value;
}

export const constant = (trace: Trace, value: Literal, type: ScalarType): Value => trace.literal(value, type);

export type IntType = "i32" | "i64";

/** Widens or wraps to that type. */
export const toInt = (trace: Trace, value: Value, type: IntType): Value =>
  value.type === type ? value : trace.once("convert", { a: value }, {}, [type]);

const literal = (trace: Trace, value: number, type: ScalarType): Value =>
  constant(trace, type === "i64" || type === "u64" ? BigInt(value) : type === "i32" ? value | 0 : value, type);

export const isPowerOf2 = (n: number): boolean => n > 0 && Number.isInteger(Math.log2(n));
const typeOf = (value: Value): ScalarType => value.type as ScalarType;

export function add(trace: Trace, a: Value, b: Value | number): Value {
  if (b === 0) return a;
  return trace.once("add", { a, b: typeof b === "number" ? literal(trace, b, typeOf(a)) : b }, {});
}

export function mul(trace: Trace, a: Value, by: number): Value {
  if (by === 1) return a;
  if (isPowerOf2(by)) return shl(trace, a, Math.log2(by));
  return trace.once("mul", { a, b: literal(trace, by, typeOf(a)) }, {});
}

export const shl = (trace: Trace, a: Value, by: number): Value =>
  by === 0 ? a : trace.once("shl", { a, by: constant(trace, by, "i32") }, {});
export const shr = (trace: Trace, a: Value, by: number): Value =>
  by === 0 ? a : trace.once("shr", { a, by: constant(trace, by, "i32") }, {});
export const and = (trace: Trace, a: Value, mask: number): Value =>
  trace.once("and", { a, b: literal(trace, mask, typeOf(a)) }, {});
export const or = (trace: Trace, a: Value, b: Value): Value => trace.once("or", { a, b }, {});
export const xor = (trace: Trace, a: Value, b: Value | number): Value =>
  b === 0 ? a : trace.once("xor", { a, b: typeof b === "number" ? literal(trace, b, typeOf(a)) : b }, {});

/** floor(a / n) of an `a` that is not negative. */
export const divide = (trace: Trace, a: Value, n: number): Value =>
  isPowerOf2(n) ? shr(trace, a, Math.log2(n)) : trace.once("div", { a, b: literal(trace, n, typeOf(a)) }, {});
/** a mod n of an `a` that is not negative. */
export const modulo = (trace: Trace, a: Value, n: number): Value =>
  isPowerOf2(n) ? and(trace, a, n - 1) : trace.once("rem", { a, b: literal(trace, n, typeOf(a)) }, {});

export const compare = (trace: Trace, is: "eq" | "ne" | "lt" | "le" | "gt" | "ge", a: Value, b: Value | number): Value =>
  trace.once("cmp", { a, b: typeof b === "number" ? literal(trace, b, typeOf(a)) : b }, { is });

/** Both, where both are there. */
export function both(trace: Trace, a: Value | undefined, b: Value | undefined): Value | undefined {
  if (!a || !b) return a ?? b;
  return trace.once("and", { a, b }, {});
}
