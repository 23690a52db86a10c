import { add, constant } from "../../ir/arith.ts";
import type { Value } from "../../ir/index.ts";
import type { Trace } from "../trace/trace.ts";

/** An index of an author: static, or an integer on the GPU. */
export type IndexValue = number | Value;

/** An index as a sum: a static part and a staged one. */
export interface IndexSum {
  readonly fixed: number;
  readonly staged: Value | undefined;
}

export const sumOf = (i: IndexValue): IndexSum =>
  typeof i === "number" ? { fixed: i, staged: undefined } : { fixed: 0, staged: i };

export const plus = (trace: Trace, a: IndexSum, b: IndexSum): IndexSum => ({
  fixed: a.fixed + b.fixed,
  staged: a.staged && b.staged ? add(trace, a.staged, b.staged) : (a.staged ?? b.staged),
});

const inRange = (n: number): boolean => n >= -(2 ** 31) && n < 2 ** 31;

/** An index as an operand: literals that 32 bits do not hold have 64. */
export const operandOf = (trace: Trace, i: IndexValue): Value =>
  typeof i !== "number" ? i : inRange(i) ? constant(trace, i, "i32") : constant(trace, BigInt(i), "i64");
