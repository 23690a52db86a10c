import { fail } from "../../diag/index.ts";
import { both, compare, constant } from "../../ir/arith.ts";
import type { ScalarType, Value } from "../../ir/index.ts";
import type { DType } from "../../types.ts";
import type { Trace } from "../trace.ts";
import type { AtomicOp, Scope } from "./types.ts";

export type PtxScope = "cta" | "cluster" | "gpu" | "sys";

const scopes: Readonly<Record<Scope, PtxScope>> = { block: "cta", cluster: "cluster", gpu: "gpu", system: "sys" };

/** A scope as PTX spells it. */
export function scopeOf(trace: Trace, scope: Scope): PtxScope {
  if (!Object.hasOwn(scopes, scope))
    fail(
      "W3025",
      { what: "a scope", given: JSON.stringify(scope) ?? "undefined", allowed: '"block", "cluster", "gpu" or "system"' },
      trace.spans(),
    );
  return scopes[scope];
}

const wide: readonly DType[] = ["i32", "u32", "i64", "u64"];

/** Which atomics the hardware has. PTX ISA 9.7.13.5. */
const types: Readonly<Record<AtomicOp, readonly DType[]>> = {
  add: [...wide, "f16", "bf16", "f32", "f64"],
  min: [...wide, "f32", "f64"],
  max: [...wide, "f32", "f64"],
  and: wide,
  or: wide,
  xor: wide,
  exch: [...wide, "f32", "f64"],
};

/**
 * The least or greatest of a float in memory and `value`, as the integers that their bits are: floats without a sign are in the order
 * of signed integers, those with one in the opposite order of unsigned ones. Gives the old value. As `Math.min` and `Math.max`: -0 is
 * less than 0, and a NaN, once it has been given, stays. So that it does, it has the sign that keeps it outermost.
 */
export function floatExtreme(
  trace: Trace,
  op: "min" | "max",
  value: Value,
  pred: Value | undefined,
  atom: (op: "min" | "max", operand: Value, pred: Value) => Value,
): Value {
  const type = value.type as "f32" | "f64";
  const wide = type === "f64";
  const [signed, unsigned] = wide ? (["i64", "u64"] as const) : (["i32", "u32"] as const);
  const bitcast = (a: Value, to: ScalarType): Value => trace.once("bitcast", { a }, {}, [to]);
  const nan = wide ? (op === "max" ? 0x7ff8000000000000n : -(2n ** 51n)) : op === "max" ? 0x7fc00000 : -(2 ** 22);
  const isNumber = compare(trace, "eq", value, value);
  const bits = trace.once("select", { condition: isNumber, yes: bitcast(value, signed), no: constant(trace, nan, signed) }, {});
  const positive = compare(trace, "ge", bits, 0);
  const negative = trace.once("not", { a: positive }, {});
  const where = (side: Value): Value => both(trace, pred, side) ?? side;
  const high = atom(op, bits, where(positive));
  const low = atom(op === "max" ? "min" : "max", bitcast(bits, unsigned), where(negative));
  return bitcast(trace.once("select", { condition: positive, yes: high, no: bitcast(low, signed) }, {}), type);
}

/** `name`: what the author called it, where that is not the operation of PTX. W3020. */
export function checkAtomic(trace: Trace, op: AtomicOp, dtype: DType, name: string = op): void {
  if (!types[op]?.includes(dtype)) fail("W3020", { op: name, dtype }, trace.spans());
}
