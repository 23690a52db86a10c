import { isInteger, type Literal, type ScalarType, type Value } from "../../ir/index.ts";
import { constant } from "../numbers/constant.ts";
import { describe } from "../numbers/describe.ts";
import { isOpen, isOpenBigint, settle } from "../numbers/open-types.ts";
import { emitOne, meet, type Operand, operand, wantNumber, widen, wrap } from "../numbers/operands.ts";
import { failHere } from "../trace/fail-here.ts";
import { isStagedScalar } from "../trace/scalar.ts";

/** A value, or a constant of the type of the operand beside it. */
export type Term = Value | Literal;

/** A constant of the type of `like`. */
export const number = (x: Literal, like: Value): Value => constant(x, like.type as ScalarType);
const beside = (x: Term, like: Value): Value => (typeof x === "object" ? x : number(x, like));

/** Ops on values of one known type. The functions of this room are written with these. */
export const add = (a: Value, b: Term): Value => emitOne("add", { a, b: beside(b, a) });
export const sub = (a: Value, b: Term): Value => emitOne("sub", { a, b: beside(b, a) });
export const mul = (a: Value, b: Term): Value => emitOne("mul", { a, b: beside(b, a) });
export const div = (a: Value, b: Value): Value => emitOne("div", { a, b });
export const mulHigh = (a: Value, b: Term): Value => emitOne("mul.hi", { a, b: beside(b, a) });
export const fused = (a: Value, b: Term, c: Term): Value => emitOne("fma", { a, b: beside(b, a), c: beside(c, a) });
/** a * b + c of f32, kept from 0 to 1; 0 where it is NaN. */
export const saturated = (a: Value, b: Term, c: Term): Value => emitOne("fma.sat", { a, b: beside(b, a), c: beside(c, a) });
/** The lesser and the greater one; of floats NaN wins, as in JavaScript. */
export const least = (a: Value, b: Term): Value => emitOne("min", { a, b: beside(b, a) });
export const greatest = (a: Value, b: Term): Value => emitOne("max", { a, b: beside(b, a) });
export const negate = (a: Value): Value => emitOne("neg", { a });
export const magnitude = (a: Value): Value => emitOne("abs", { a });
export const root = (a: Value): Value => emitOne("sqrt", { a });
export const roundTo = (a: Value, mode: "ni" | "zi" | "mi" | "pi"): Value => emitOne("round", { a }, { mode });
export const both = (a: Value, b: Term): Value => emitOne("and", { a, b: beside(b, a) });
export const either = (a: Value, b: Term): Value => emitOne("or", { a, b: beside(b, a) });
export const differing = (a: Value, b: Term): Value => emitOne("xor", { a, b: beside(b, a) });
export const not = (a: Value): Value => emitOne("not", { a });
export const shiftLeft = (a: Value, by: number): Value => emitOne("shl", { a, by: constant(by, "i32") });
export const shiftRight = (a: Value, by: number): Value => emitOne("shr", { a, by: constant(by, "i32") });
export const convert = (a: Value, type: ScalarType): Value => widen(a, type);
export const recast = (a: Value, type: ScalarType): Value => (a.type === type ? a : emitOne("bitcast", { a }, {}, [type]));

/** `yes` where the condition holds, else `no`; one of them at least is a value. */
export function choose(condition: Value, yes: Term, no: Term): Value {
  const like = typeof yes === "object" ? yes : no;
  if (typeof like !== "object") throw new Error("two constants say no type");
  return emitOne("select", { condition, yes: beside(yes, like), no: beside(no, like) });
}

type Relation = "eq" | "ne" | "lt" | "le" | "gt" | "ge";
/** `a is b`, `b` a value or a constant. */
export const test = (a: Value, is: Relation, b: Term): Value => emitOne("cmp", { a, b: beside(b, a) }, { is });

export type Approximation = "rcp" | "rcp.ftz" | "rsqrt" | "rsqrt.ftz" | "sin" | "cos" | "lg2" | "ex2" | "ex2.ftz" | "tanh";
/** What the hardware has, within the error that PTX documents. The bits are the machine's own; on sm_90 and the emulator those of ex2, rcp and rsqrt are the same. */
export const approximate = (fn: Approximation, a: Value): Value => emitOne("approx", { a }, { fn });

/** c0 + c1 x + c2 x² + …, by Horner's rule in fused steps. */
export function polynomial(x: Value, coefficients: readonly number[]): Value {
  const [last, ...rest] = coefficients.map((c) => number(c, x)).reverse();
  if (!last) throw new Error("a polynomial without coefficients");
  return rest.reduce((sum, c) => fused(sum, x, c), last);
}

/** The magnitude of `a` with the sign bit of `sign`, both f32 or both f64. */
export function withSign(a: Value, sign: Value): Value {
  const wide = a.type === "f64";
  const bits: ScalarType = wide ? "i64" : "i32";
  const top = wide ? -(2n ** 63n) : -(2 ** 31);
  const rest = wide ? 2n ** 63n - 1n : 2 ** 31 - 1;
  return recast(either(both(recast(a, bits), rest), both(recast(sign, bits), top)), a.type as ScalarType);
}

/** Refuses bools, and bigints, which JavaScript's Math refuses too. */
export function mathOperand(x: unknown, name: string): Operand {
  const given = wantNumber(operand(x, name), name);
  const wide = isStagedScalar(given)
    ? isOpenBigint(given.value) || given.type === "i64" || given.type === "u64"
    : typeof given === "bigint";
  // An open number has the type i32 for the time being, never a 64-bit one.
  return wide ? failHere("W2703", { name }) : given;
}

/** Refuses what is no number among operands that JavaScript would convert in a way of its own. W2703 and those of `wantNumber`. */
export function checkStatic(args: readonly unknown[], name: string): void {
  for (const x of args) if (typeof x !== "number") mathOperand(x, name);
}

/** The operands as values of one float type, which at least one of them says; a number of no type yet becomes an f32. */
export function floats(args: readonly unknown[], name: string): readonly Value[] {
  const operands = args.map((x) => mathOperand(x, name));
  const staged = operands.filter(isStagedScalar);
  for (const x of staged) {
    if (isOpen(x.value)) continue;
    if (isInteger(x.type)) failHere("W2701", { name, what: describe(x) });
    if (x.type === "e4m3" || x.type === "e5m2") failHere("W2702", { name, what: describe(x) });
  }
  const known = staged.find((x) => !isOpen(x.value)) ?? staged[0];
  if (!known) throw new Error(`${name}: nothing here is on the GPU`);
  if (isOpen(known.value)) settle(known.value, "f32");
  // Meeting each in turn finds the widest type; meeting that one gives every operand in it.
  const widest = staged.reduce<Value>((value, x) => meetValue(value, x, name)[0], known.value);
  return operands.map((x) => meetValue(widest, x, name)[1]);
}

function meetValue(value: Value, x: Operand, name: string): [Value, Value] {
  if (isStagedScalar(x) && x.value === value) return [value, value];
  return meet(wrap(value), x, name);
}
