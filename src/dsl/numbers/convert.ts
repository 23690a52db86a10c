import { bitsOf, integerRange, isFloat, isInteger, type Literal, type ScalarType, type Value } from "../../ir/index.ts";
import { checkingTrace, expectThat } from "../checks/pending.ts";
import { failHere } from "../trace/fail-here.ts";
import { isStagedScalar, type StagedScalar } from "../trace/scalar.ts";
import { truth } from "./compare.ts";
import { constant } from "./constant.ts";
import { describe } from "./describe.ts";
import { roundQuotient } from "./integers.ts";
import { isLiteral, roundTo } from "./literals.ts";
import { typeText } from "./names.ts";
import { isOpen, isOpenBigint, settle } from "./open-types.ts";
import { emitOne, wrap } from "./operands.ts";
import { refuseTriple } from "./triple.ts";
import { Mixed, Quotient, usable } from "./unusable.ts";

/** Towards zero; out of range saturates, NaN gives 0. A static integer that does not fit is an error, as any literal is. */
function staticInteger(x: number | bigint, type: ScalarType): Literal {
  const wide = type === "i64" || type === "u64";
  if (typeof x === "bigint") return wide ? x : Number(x);
  if (Number.isInteger(x)) return wide ? BigInt(x) : x;
  const [least, most] = integerRange(type);
  const whole = Number.isNaN(x) ? 0n : x === Infinity ? most : x === -Infinity ? least : BigInt(Math.trunc(x));
  const fitting = whole < least ? least : whole > most ? most : whole;
  return wide ? fitting : Number(fitting);
}

function staticConversion(x: Literal, type: ScalarType): Value {
  const number = typeof x === "boolean" ? Number(x) : x;
  if (isFloat(type)) {
    const rounded = roundTo(type, Number(number));
    const op = emitOne("const", {}, { value: rounded }, [type]);
    return op;
  }
  return constant(staticInteger(number, type), type);
}

/** The type that an open value takes when it is converted to `type`. */
function settleFor(value: Value, type: ScalarType): void {
  if (!isOpen(value)) return;
  const wide = isOpenBigint(value);
  settle(value, wide ? "i64" : type === "pred" || type === "i64" || type === "u64" ? "i32" : type);
}

/** The conversion functions: `i32(x)`, `f16(x)`, `bool(x)`, …; the result is staged, also of a static value. */
export function convertTo(type: ScalarType, x: unknown): StagedScalar {
  refuseTriple(x);
  const from = x instanceof Quotient && isInteger(type) ? roundQuotient(x, "trunc") : x;
  if (type === "pred") {
    const p = truth(from instanceof Mixed ? from : usable(from));
    return typeof p === "boolean" ? wrap(constant(p, "pred")) : p;
  }
  usable(from);
  if (isLiteral(from)) return wrap(staticConversion(from, type));
  if (!isStagedScalar(from)) return failHere("W2009", { op: `${typeText(type)}(…)`, what: describe(from) });
  settleFor(from.value, type);
  if (from.type === type) return from;
  const result = emitOne("convert", { a: from.value }, {}, [type]);
  expectFit(from.value, result);
  return wrap(result);
}

/** With `debug`, an integer that becomes a narrower one has to fit. */
function expectFit(from: Value, result: Value): void {
  const trace = checkingTrace();
  const [wide, narrow] = [from.type as ScalarType, result.type as ScalarType];
  if (!trace || !isInteger(wide) || !isInteger(narrow) || bitsOf(narrow) >= bitsOf(wide)) return;
  const back = emitOne("convert", { a: result }, {}, [wide]);
  const [least, most] = integerRange(narrow).map(Number);
  const text = typeText(narrow);
  const parts = [`the ${typeText(wide)} `, ` does not fit ${text}`];
  const fits = emitOne("cmp", { a: back, b: from }, { is: "eq" });
  expectThat(trace, fits, { parts, values: [from], check: { about: "range" } }, { value: from, least, most });
}

/** The same bits as another type of the same width. */
export function bitcastTo(type: ScalarType, x: unknown): StagedScalar {
  usable(x);
  refuseTriple(x);
  const from = isStagedScalar(x) ? x : undefined;
  if (!from) {
    const guess: ScalarType = typeof x === "bigint" ? "i64" : Number.isInteger(x) ? "i32" : "f32";
    if (!isLiteral(x) || typeof x === "boolean") return failHere("W2009", { op: "bitcast", what: describe(x) });
    return bitcastTo(type, wrap(constant(typeof x === "number" && x > 2 ** 31 - 1 && guess === "i32" ? x | 0 : x, guess)));
  }
  if (isOpen(from.value)) settle(from.value, isOpenBigint(from.value) ? "i64" : "i32");
  if (from.type === "pred" || type === "pred" || bitsOf(from.type) !== bitsOf(type)) {
    failHere("W2016", { from: typeText(from.type), fromBits: bitsOf(from.type), to: typeText(type), toBits: bitsOf(type) });
  }
  return from.type === type ? from : wrap(emitOne("bitcast", { a: from.value }, {}, [type]));
}
