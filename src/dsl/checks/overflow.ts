import { anyOp, type Op, type Value } from "../../ir/index.ts";
import { compare, constant, first, shr, xor } from "../memory/arith.ts";
import type { Trace } from "../trace.ts";
import type { Interval } from "./intervals.ts";
import type { Finding } from "./pending.ts";

type Operator = Op<"add"> | Op<"sub"> | Op<"mul"> | Op<"neg">;

/** The op as one of the operators whose integer results can pass their range. */
export function operatorOf(op: Op | undefined): Operator | undefined {
  const known = op && anyOp(op);
  return known?.name === "add" || known?.name === "sub" || known?.name === "mul" || known?.name === "neg" ? known : undefined;
}

/** The exact results of an operator, by those of its operands. */
export function exactResults(op: Operator, of: (value: Value) => Interval): Interval {
  const [a, c] = of(op.operands.a);
  if (op.name === "neg") return [-c, -a];
  const [b, d] = of(op.operands.b);
  if (op.name === "add") return [a + b, c + d];
  if (op.name === "sub") return [a - d, c - b];
  const products = [a * b, a * d, c * b, c * d];
  return [Math.min(...products), Math.max(...products)];
}

/** What an operator on i32 or i64 says where it does not give the exact result: "2147483647 + 1 does not fit i32". */
export function inexact(op: Operator, type: "i32" | "i64"): Pick<Finding, "parts" | "values"> {
  const { a } = op.operands;
  const end = ` does not fit ${type}`;
  if (op.name === "neg") return { parts: ["-(", `)${end}`], values: [a] };
  return { parts: ["", ` ${symbols[op.name]} `, end], values: [a, op.operands.b] };
}
const symbols = { add: "+", sub: "-", mul: "*" } as const;

/** Computes whether an operator on i32 or i64 gave the exact result. */
export function isExact(trace: Trace, op: Operator): Value {
  const [result] = op.results;
  if (!result) throw new Error(`${op.name} without a result`);
  const { a } = op.operands;
  const wide = result.type === "i64";
  if (op.name === "neg") {
    const least = constant(trace, wide ? -(2n ** 63n) : -(2 ** 31), wide ? "i64" : "i32");
    return compare(trace, "ne", a, least);
  }
  const { b } = op.operands;
  if (op.name === "mul") {
    const high = first(trace.emit("mul.hi", { a, b }, {}));
    return compare(trace, "eq", high, shr(trace, result, wide ? 63 : 31));
  }
  // Wrong exactly where the sign of the result fits neither: Warren, Hacker's Delight, 2-13.
  const left = op.name === "add" ? xor(trace, a, result) : xor(trace, a, b);
  const right = op.name === "add" ? xor(trace, b, result) : xor(trace, a, result);
  return compare(trace, "ge", trace.once("and", { a: left, b: right }, {}), 0);
}
