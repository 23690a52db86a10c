import { compare } from "../../ir/arith.ts";
import { isSigned, type Value } from "../../ir/index.ts";
import type { Trace } from "../trace/trace.ts";
import { badValue, checkingTrace, expectThat } from "./pending.ts";

/** Whether an i32 or u32 is from 0 to `most`: read as unsigned, a negative number is a large one. */
const isUpTo = (trace: Trace, value: Value, most: number): Value =>
  compare(trace, "le", isSigned(value.type) ? trace.once("bitcast", { a: value }, {}, ["u32"]) : value, most);

/** With `debug`: traps where an integer of the GPU is negative. `what` begins the message: "the distance to another stage". */
export function expectNatural(value: Value, what: string): void {
  const trace = checkingTrace();
  if (!trace || !isSigned(value.type)) return;
  const within = { value, least: 0, most: Number.MAX_SAFE_INTEGER };
  expectThat(trace, compare(trace, "ge", value, 0), badValue(what, value, "it must not be negative"), within);
}

/** With `debug`: traps where an i32 or u32 of the GPU is not from 0 to `most`. */
export function expectUpTo(value: Value, most: number, what: string): void {
  const trace = checkingTrace();
  if (!trace) return;
  const finding = badValue(what, value, `it must be from 0 to ${most}`);
  expectThat(trace, isUpTo(trace, value, most), finding, { value, least: 0, most });
}
