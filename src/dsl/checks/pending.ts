import type { Spans } from "../../base/diag/index.ts";
import type { Check, Value } from "../../ir/index.ts";
import { activeTrace, type Trace } from "../trace/trace.ts";

/** An integer and the range it has to lie in, both ends included. Where it surely does, the check is left out. */
export interface Within {
  readonly value: Value;
  readonly least: number | undefined;
  readonly most: number | undefined;
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

/** Results of operators that are checked. */
const operators = { make: () => new Set<Value>() };

/** The trace that runs now, where it was asked to check what the author's text does. */
export function checkingTrace(): Trace | undefined {
  const trace = activeTrace();
  return trace?.options.debug ? trace : undefined;
}

/** Here `condition` has to hold. */
export function expectThat(trace: Trace, condition: Value, finding: Finding, within?: Within): void {
  const { parts, values, check, at: spans = trace.spans() } = finding;
  const number = trace.checks.push({ kind: "assert", parts, types: [], check, spans }) - 1;
  const attrs = { check: number, least: within?.least, most: within?.most };
  trace.emit("check.holds", { condition, values, value: within?.value }, attrs, { spans });
}

/** What is said of a value that is not what it must be: `what` 7`, and ` + `must`. */
export const badValue = (what: string, value: Value, must: string): Finding => ({
  parts: [`${what} is `, `, and ${must}`],
  values: [value],
  check: { about: "range" },
});

/** The result of an operator that the author wrote must be the exact one, if it is an integer. */
export function expectExact(trace: Trace, result: Value, symbol: string, quotient?: Division): void {
  trace.state(operators).add(result);
  trace.emit("check.exact", { result, a: quotient?.a, b: quotient?.b }, { symbol });
}

/** Says that `bits` is the value modulo 2^32, whatever it is. */
export function wrapsTo(bits: Value, value: Value): Value {
  const trace = checkingTrace();
  if (trace?.state(operators).has(value)) trace.emit("check.wraps", { bits }, {});
  return bits;
}

/** The value modulo 2^32, as bitwise operators take it. Where the value itself is checked, this is another value, which is not. */
export function modulo32(value: Value): Value {
  const trace = checkingTrace();
  if (!trace?.state(operators).has(value)) return value;
  const wrapped = trace.once("convert", { a: value }, {}, ["i32"]);
  trace.emit("check.wraps", { bits: wrapped }, {});
  return wrapped;
}
