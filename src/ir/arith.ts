/** For whoever writes ops: arithmetic, comparisons and constants on values, folded where they are known. */
import type { Attrs, Literal, Op, Operands, Value } from "./graph.ts";
import type { OpParts } from "./make-op.ts";
import type { OpName } from "./ops/index.ts";
import type { ScalarType, Type } from "./types.ts";

/** Whatever puts ops one after the other: tracing, and passes that write. */
export interface Emitter {
  /** Appends an op. */
  emit<K extends OpName>(name: K, operands: Operands<K>, attrs: Attrs<K>, parts?: Omit<OpParts, "spans">): Op<K>;
  /** The scalar or pointer of an op that does nothing else: one op for all its uses, where it stands and in the regions inside. */
  once<K extends OpName>(name: K, operands: Operands<K>, attrs: Attrs<K>, types?: readonly Type[]): Value;
  /** The literal as a value of exactly that type. */
  literal(value: Literal, type: ScalarType): Value;
}

/** Integer arithmetic of the compiler itself: addresses, lanes, rows. Constants are folded where they meet. */

/** The one result of an op. */
export function first<K extends OpName>(op: Op<K>): Value {
  const [value] = op.results;
  if (!value) throw new Error(`${op.name} gives nothing`);
  return value;
}

export const constant = (e: Emitter, value: Literal, type: ScalarType): Value => e.literal(value, type);

export type IntType = "i32" | "i64";

/** Widens or wraps to that type. */
export const toInt = (e: Emitter, value: Value, type: IntType): Value =>
  value.type === type ? value : e.once("convert", { a: value }, {}, [type]);

/** An integer as an i32. What 32 bits do not hold becomes the nearest that they do, so that it stays outside of whatever ends before. */
export function saturated(e: Emitter, value: Value): Value {
  if (value.type !== "i64" && value.type !== "u64") return toInt(e, value, "i32");
  const least = value.type === "u64" ? value : e.once("max", { a: value, b: constant(e, -(2n ** 31n), "i64") }, {});
  return toInt(e, e.once("min", { a: least, b: constant(e, 2n ** 31n - 1n, value.type) }, {}), "i32");
}

/** The type in which to count where something begins in a dimension that ends there. */
export const countType = (limit: number | Value): IntType => (typeof limit === "number" && limit >= 2 ** 31 ? "i64" : "i32");

/** An index in that type: see `saturated`. */
export const counted = (e: Emitter, value: Value, type: IntType): Value =>
  type === "i32" ? saturated(e, value) : toInt(e, value, "i64");

const literal = (e: Emitter, value: number, type: ScalarType): Value =>
  constant(e, type === "i64" || type === "u64" ? BigInt(value) : type === "i32" ? value | 0 : value, type);

export const isPowerOf2 = (n: number): boolean => n > 0 && Number.isInteger(Math.log2(n));
const typeOf = (value: Value): ScalarType => value.type as ScalarType;

export function add(e: Emitter, a: Value, b: Value | number): Value {
  if (b === 0) return a;
  return e.once("add", { a, b: typeof b === "number" ? literal(e, b, typeOf(a)) : b }, {});
}

export function mul(e: Emitter, a: Value, by: number): Value {
  if (by === 1) return a;
  if (isPowerOf2(by)) return shl(e, a, Math.log2(by));
  return e.once("mul", { a, b: literal(e, by, typeOf(a)) }, {});
}

export const shl = (e: Emitter, a: Value, by: number): Value =>
  by === 0 ? a : e.once("shl", { a, by: constant(e, by, "i32") }, {});
export const shr = (e: Emitter, a: Value, by: number): Value =>
  by === 0 ? a : e.once("shr", { a, by: constant(e, by, "i32") }, {});
export const and = (e: Emitter, a: Value, mask: number): Value => e.once("and", { a, b: literal(e, mask, typeOf(a)) }, {});
export const or = (e: Emitter, a: Value, b: Value): Value => e.once("or", { a, b }, {});
export const xor = (e: Emitter, a: Value, b: Value | number): Value =>
  b === 0 ? a : e.once("xor", { a, b: typeof b === "number" ? literal(e, b, typeOf(a)) : b }, {});

/** floor(a / n) of an `a` that is not negative. */
export const divide = (e: Emitter, a: Value, n: number): Value =>
  isPowerOf2(n) ? shr(e, a, Math.log2(n)) : e.once("div", { a, b: literal(e, n, typeOf(a)) }, {});
/** a mod n of an `a` that is not negative. */
export const modulo = (e: Emitter, a: Value, n: number): Value =>
  isPowerOf2(n) ? and(e, a, n - 1) : e.once("rem", { a, b: literal(e, n, typeOf(a)) }, {});

export const compare = (e: Emitter, is: "eq" | "ne" | "lt" | "le" | "gt" | "ge", a: Value, b: Value | number): Value =>
  e.once("cmp", { a, b: typeof b === "number" ? literal(e, b, typeOf(a)) : b }, { is });

/** Both, where both are there. */
export function both(e: Emitter, a: Value | undefined, b: Value | undefined): Value | undefined {
  if (!a || !b) return a ?? b;
  return e.once("and", { a, b }, {});
}
