import { type AnyOp, anyOp, type Value } from "../../ir/index.ts";
import type { Trace } from "../trace.ts";

/** The op that gave a value. */
export function definition(trace: Trace, value: Value): AnyOp | undefined {
  const op = trace.makerOf(value);
  return op && anyOp(op);
}

/** The greatest number that divides both; 0 is a multiple of everything. */
export function gcd(a: number, b: number): number {
  let [x, y] = [Math.abs(a), Math.abs(b)];
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}

const limit = 1 << 20;

/**
 * A number that surely divides a staged integer, at most 2^20: what is known of alignment. Zero counts as a multiple of everything.
 * It looks through sums, products, shifts and conversions, and stops at loads and loop variables.
 */
export function multipleOf(trace: Trace, value: Value, depth = 12): number {
  const op = depth > 0 ? definition(trace, value) : undefined;
  if (!op) return 1;
  const of = (v: Value): number => multipleOf(trace, v, depth - 1);
  switch (op.name) {
    case "const":
      return typeof op.attrs.value === "boolean" ? 1 : Math.min(limit, gcd(Number(op.attrs.value), limit * 3 * 5 * 7) || limit);
    case "add":
    case "sub":
    case "min":
    case "max":
      return gcd(of(op.operands.a), of(op.operands.b));
    case "select":
      return gcd(of(op.operands.yes), of(op.operands.no));
    case "mul":
      return Math.min(limit, of(op.operands.a) * of(op.operands.b));
    case "shl": {
      const by = definition(trace, op.operands.by);
      return by?.name === "const" ? Math.min(limit, of(op.operands.a) * 2 ** Number(by.attrs.value)) : of(op.operands.a);
    }
    case "neg":
    case "convert":
      return of(op.operands.a);
    default:
      return 1;
  }
}
