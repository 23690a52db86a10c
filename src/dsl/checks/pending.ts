import type { Spans } from "../../diag/index.ts";
import { constant } from "../../ir/arith.ts";
import type { Check, Op, Value } from "../../ir/index.ts";
import { activeTrace, type Trace } from "../trace.ts";

/** An integer and the range it has to lie in, both ends included. Where it surely does, the check is left out. */
export interface Within {
  readonly value: Value;
  readonly least: number;
  readonly most: number;
}

/** A division of integers. */
export interface Division {
  readonly a: Value;
  readonly b: Value;
}

/** What the message says, with the values that the GPU had: `parts` stand around them, as in a log site. At most three. */
export interface Finding {
  readonly parts: readonly string[];
  readonly values: readonly Value[];
  readonly check: Check;
  /** Where it stands, if not where the check does. */
  readonly at?: Spans | undefined;
}

/** A check that `debug` asked for. Which ones are needed, and how they compute, is known when the whole kernel has been traced. */
export interface Pending extends Finding {
  readonly spans: Spans;
  readonly within?: Within | undefined;
  /** The result of the author's integer operator, which may not have passed the range of its type. */
  readonly exact?: Value;
  /** The operator as the author wrote it. */
  readonly symbol?: string;
  /** Where that is `a / b`, rounded to an integer by several ops. */
  readonly quotient?: Division | undefined;
}

interface Checks {
  /** The `assert` that stands for check n has the site -1 - n. */
  readonly pending: Pending[];
  /** Results of operators that are checked. */
  readonly operators: Set<Value>;
  /** What `| 0` and its kin took of such a result: modulo 2^32 by definition. */
  readonly wrapped: Set<Value>;
}

const checks = { make: (): Checks => ({ pending: [], operators: new Set(), wrapped: new Set() }) };

/** The checks of a trace. */
export const checksOf = (trace: Trace): Checks => trace.state(checks);

/** The trace that runs now, where it was asked to check what the author's text does. */
export function checkingTrace(): Trace | undefined {
  const trace = activeTrace();
  return trace?.options.debug ? trace : undefined;
}

/** The check of an op, where it stands for one. */
export function pendingOf(trace: Trace, op: Op): Pending | undefined {
  if (op.name !== "assert") return undefined;
  const { site } = (op as Op<"assert">).attrs;
  return site < 0 ? checksOf(trace).pending[-1 - site] : undefined;
}

function expect(trace: Trace, condition: Value, pending: Omit<Pending, "spans">): void {
  const count = checksOf(trace).pending.push({ ...pending, spans: pending.at ?? trace.spans() });
  trace.emit("assert", { condition, values: pending.values }, { site: -count });
}

/** Here `condition` has to hold. */
export const expectThat = (trace: Trace, condition: Value, finding: Finding, within?: Within): void =>
  expect(trace, condition, { ...finding, within });

/** What is said of a value that is not what it must be: `what` 7`, and ` + `must`. */
export const badValue = (what: string, value: Value, must: string): Finding => ({
  parts: [`${what} is `, `, and ${must}`],
  values: [value],
  check: { about: "range" },
});

/** The result of an operator that the author wrote, when it is an integer, has to be the exact one. */
export function expectExact(trace: Trace, result: Value, symbol: string, quotient?: Division): void {
  const condition = constant(trace, true, "pred");
  checksOf(trace).operators.add(result);
  expect(trace, condition, { parts: [], values: [], check: { about: "overflow" }, exact: result, quotient, symbol });
}

/** Says that `bits` is the value modulo 2^32, whatever it is. */
export function wrapsTo(bits: Value, value: Value): Value {
  const trace = checkingTrace();
  if (trace && checksOf(trace).operators.has(value)) checksOf(trace).wrapped.add(bits);
  return bits;
}

/** The value modulo 2^32, which is what a bitwise operator takes: a value of its own where the sum itself is checked. */
export function modulo32(value: Value): Value {
  const trace = checkingTrace();
  if (!trace || !checksOf(trace).operators.has(value)) return value;
  const wrapped = trace.once("convert", { a: value }, {}, ["i32"]);
  checksOf(trace).wrapped.add(wrapped);
  return wrapped;
}
