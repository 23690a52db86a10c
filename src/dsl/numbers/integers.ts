import { isFloat, isInteger, type Op, type OpName, type ScalarType, type Value } from "../../ir/index.ts";
import { modulo32, wrapsTo } from "../checks/pending.ts";
import { failHere } from "../trace/fail-here.ts";
import { isStagedScalar, type StagedScalar } from "../trace/scalar.ts";
import { currentTrace } from "../trace/trace.ts";
import { constant, constantLike, zeroLike } from "./constant.ts";
import { checked } from "./exact.ts";
import { aType, literalText } from "./names.ts";
import { isOpen, isOpenBigint, settle } from "./open-types.ts";
import { emitLike, emitOne, meet, type Operand, promoted, wantNumber, wrap } from "./operands.ts";
import type { Quotient } from "./unusable.ts";

const bitOps: Readonly<Record<string, OpName>> = { "&": "and", "|": "or", "^": "xor", "<<": "shl", ">>": "shr", ">>>": "shr" };
export const isBitOp = (op: string): boolean => op in bitOps;

/** Is it a bigint to TypeScript? */
export const isWide = (x: Operand): boolean =>
  isStagedScalar(x) ? (isOpen(x.value) ? isOpenBigint(x.value) : x.type === "i64" || x.type === "u64") : typeof x === "bigint";

/** The operand of a bitwise operator on 32 bits: of either sign, as an i32. */
function word(x: Operand, op: string): Value {
  if (!isStagedScalar(x)) {
    if (typeof x !== "number") return failHere("W2006", { op, what: literalText(x) });
    if (!Number.isInteger(x) || x < -(2 ** 31) || x >= 2 ** 32) failHere("W2011", { op, what: `\`${literalText(x)}\`` });
    return constant(x | 0, "i32");
  }
  const value = promoted(x.value);
  if (isOpen(value)) settle(value, "i32");
  if (isFloat(value.type)) failHere("W2011", { op, what: aType(value.type as ScalarType) });
  return value.type === "u32" ? wrapsTo(emitOne("bitcast", { a: value }, {}, ["i32"]), value) : modulo32(value);
}

const asUnsigned = (value: Value): Value => emitOne("bitcast", { a: value }, {}, ["u32"]);

function wideBits(op: string, a: Operand, b: Operand): StagedScalar {
  const name = bitOps[op];
  if (!name || op === ">>>") return failHere("W2013", { op, instead: "convert with u64(x) and use `>>`" });
  if (op !== "<<" && op !== ">>") {
    const [x, y] = meet(a, b, op);
    return wrap(emitLike(name, { a: x, b: y }, x));
  }
  const [x, y] = isStagedScalar(a) ? [a.value, shiftBy(b, a.value)] : meet(a, b, op);
  if (!isStagedScalar(b)) return wrap(emitLike(name, { a: x, by: emitOne("convert", { a: y }, {}, ["i32"]) }, x));
  return shiftEitherWay(name, x, y);
}

/** A bigint is shifted the other way by a negative number, and 64 or more shift everything out: an op takes its count modulo 64. */
function shiftEitherWay(name: OpName, x: Value, y: Value): StagedScalar {
  const shifted = (op: OpName, amount: Value): Value => {
    const n = emitOne("bitcast", { a: amount }, {}, ["u64"]);
    const most = constantLike(63n, n);
    const far = emitOne("cmp", { a: n, b: most }, { is: "gt" });
    const by = emitOne("convert", { a: emitLike("select", { condition: far, yes: most, no: n }, n) }, {}, ["i32"]);
    const result = emitLike(op, { a: x, by }, x);
    return op === "shr" && x.type === "i64" ? result : emitLike("select", { condition: far, yes: zeroLike(x), no: result }, x);
  };
  const there = shifted(name, y);
  if (y.type === "u64") return wrap(there);
  const back = shifted(name === "shl" ? "shr" : "shl", emitLike("neg", { a: y }, y));
  const negative = emitOne("cmp", { a: y, b: zeroLike(y) }, { is: "lt" });
  return wrap(emitLike("select", { condition: negative, yes: back, no: there }, x));
}

/** In JavaScript a bigint shifted by 64 or more gives 0 or the sign; on the GPU the count is taken modulo 64. */
function shiftBy(b: Operand, like: Value): Value {
  if (typeof b === "bigint" && (b < 0n || b > 63n))
    failHere("W2013", { op: "shift by this many bits", instead: "shift by 0n to 63n" });
  return isStagedScalar(b) ? b.value : constantLike(b, like);
}

/** `& | ^ << >> >>>`: on 32-bit integers of either sign, giving i32, `>>>` giving u32; on bigints in their own type. */
export function bitwise(op: string, a: Operand, b: Operand): StagedScalar {
  wantNumber(a, op);
  wantNumber(b, op);
  if (isWide(a) || isWide(b)) {
    if (isWide(a) !== isWide(b))
      failHere("W2003", {
        op,
        a: isWide(a) ? "bigint" : "number",
        b: isWide(b) ? "bigint" : "number",
        fix: "convert one of them, `i64(n)` or `i32(n)`",
      });
    return wideBits(op, a, b);
  }
  const x = word(a, op);
  if (op === ">>>" && b === 0) return wrap(asUnsigned(x));
  if ((op === "|" || op === "^" || op === "<<" || op === ">>") && b === 0) return wrap(x);
  const y = word(b, op);
  if (op === ">>>") return wrap(emitOne("shr", { a: asUnsigned(x), by: y }));
  if (op === "<<" || op === ">>") return wrap(emitOne(op === "<<" ? "shl" : "shr", { a: x, by: y }));
  return wrap(emitOne(bitOps[op] as OpName, { a: x, b: y }));
}

/** `~a`. */
export function complement(a: StagedScalar): StagedScalar {
  if (isWide(a)) return wrap(emitLike("not", { a: a.value }, a.value));
  wantNumber(a, "~");
  return wrap(emitOne("not", { a: word(a, "~") }));
}

export type Rounding = "trunc" | "floor" | "ceil";

/** 0 where the divisor is 0, as `| 0` of Infinity and NaN; the result itself where the divisor is a literal. */
export function unlessZero(b: Value, result: Value): Value {
  const zero = zeroLike(result);
  const maker = currentTrace("/").makerOf(b);
  if (maker?.name === "const") return Number((maker as Op<"const">).attrs.value) === 0 ? zero : result;
  return emitLike("select", { condition: emitOne("cmp", { a: b, b: zero }, { is: "ne" }), yes: result, no: zero }, result);
}

/** Integer division, rounded as said; `| 0` of what JavaScript gives, where that is no integer of the type. */
export function divideIntegers(a: Value, b: Value, rounding: Rounding): Value {
  const quotient = emitLike("div", { a, b }, a);
  if (rounding === "trunc" || (rounding === "floor" && (a.type === "u32" || a.type === "u64"))) return quotient;
  const rest = emitLike("sub", { a, b: emitLike("mul", { a: quotient, b }, a) }, a);
  const zero = zeroLike(a);
  const inexact = emitOne("cmp", { a: rest, b: zero }, { is: "ne" });
  // Rounded towards zero, the quotient is too large where the exact one is negative and too small where it is positive.
  const negative = emitOne("cmp", { a: emitLike("xor", { a: rest, b }, a), b: zero }, { is: "lt" });
  const off = emitOne("and", { a: inexact, b: rounding === "floor" ? negative : emitOne("not", { a: negative }) });
  const one = constantLike(a.type === "i64" || a.type === "u64" ? 1n : 1, a);
  const rounded = emitLike(
    "select",
    { condition: off, yes: emitLike(rounding === "floor" ? "sub" : "add", { a: quotient, b: one }, a), no: quotient },
    a,
  );
  return unlessZero(b, rounded);
}

/** The integer that a pending `a / b` becomes; `debug` checks that there is one. */
export function takeQuotient(quotient: Quotient, divide: (a: Value, b: Value) => Value): StagedScalar {
  quotient.rounded = true;
  return wrap(checked(divide(quotient.a, quotient.b), "/", quotient));
}

/** The integer quotient that a pending `a / b` becomes. */
export const roundQuotient = (quotient: Quotient, rounding: Rounding): StagedScalar =>
  takeQuotient(quotient, (a, b) => divideIntegers(a, b, rounding));

/** A pending `a / b` modulo 2^32, as a bitwise operator takes it. */
export function wrappedQuotient(quotient: Quotient): StagedScalar {
  quotient.rounded = true;
  return wrap(divideIntegers(quotient.a, quotient.b, "trunc"));
}

/** An i32, u32, i64 or u64, narrower ones widened; an open number becomes an i32. */
export function wholeValue(x: StagedScalar, op: string): Value {
  const value = promoted(x.value);
  if (isOpen(value)) settle(value, isOpenBigint(value) ? "i64" : "i32");
  if (!isInteger(value.type)) failHere("W2011", { op, what: aType(value.type as ScalarType) });
  return value;
}
