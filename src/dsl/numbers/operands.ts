import { textAt } from "../../base/diag/index.ts";
import { widens as widensTo } from "../../base/element-types.ts";
import { isFloat, isInteger, type Literal, type OpName, opSpec, type ScalarType, type Type, type Value } from "../../ir/index.ts";
import { failHere, spansHere } from "../trace/fail-here.ts";
import { isStagedScalar, StagedScalar } from "../trace/scalar.ts";
import { currentTrace } from "../trace/trace.ts";
import { constantLike } from "./constant.ts";
import { describe } from "./describe.ts";
import { isLiteral } from "./literals.ts";
import { typeText } from "./names.ts";
import { isOpen, isOpenBigint, joinType, settle, unify } from "./open-types.ts";
import { refuseTriple } from "./triple.ts";
import { usable } from "./unusable.ts";

/** What an operator computes with: `Literal` where it is known while tracing. */
export type Operand = StagedScalar | Literal;

/** The operand of an arithmetic operator; anything but a number is an error. */
export function operand(x: unknown, op: string): Operand {
  usable(x);
  if (isStagedScalar(x)) return x;
  if (isLiteral(x)) return x;
  refuseTriple(x);
  return failHere("W2009", { op, what: describe(x) });
}

/** Appends an op with one result whose type is that of `like`, now or when it is found. */
export function emitLike(
  name: OpName,
  operands: Readonly<Record<string, Value>>,
  like: Value,
  attrs: Readonly<Record<string, string | number>> = {},
): Value {
  const result = emitOne(name, operands, attrs, [like.type]);
  joinType(result, like);
  return result;
}

/** Appends an op with one result. */
export function emitOne(
  name: OpName,
  operands: Readonly<Record<string, Value>>,
  attrs: Readonly<Record<string, string | number>> = {},
  types: readonly Type[] = [],
): Value {
  const trace = currentTrace("this operation");
  // With `debug`, each operator is checked by how its own result is used, so equal ones are not shared.
  if (!trace.options.debug && opSpec(name).effects.length === 0) return trace.once(name, operands, attrs, types);
  const op = trace.emit(name, operands, attrs, { types });
  const [result] = op.results;
  if (!result) throw new Error(`${name} gives nothing`);
  return result;
}

const narrow = new Set<Type>(["i8", "u8", "i16", "u16"]);

/** Is it an integer that arithmetic widens? */
export const promotes = (type: Type): boolean => narrow.has(type);

/** Arithmetic is done in 32 bits at least: an 8- or 16-bit integer becomes an i32, as in C and as exact as in JavaScript. */
export function promoted(value: Value): Value {
  return narrow.has(value.type) && !isOpen(value) ? emitOne("convert", { a: value }, {}, ["i32"]) : value;
}

/** Does the second float type hold every number of the first, and more? */
export const widens = (from: ScalarType, to: ScalarType): boolean => from !== "pred" && to !== "pred" && widensTo(from, to);

/** The type that holds both without a loss, where the language widens to it. */
function common(a: ScalarType, b: ScalarType): ScalarType | undefined {
  if (a === b || widens(b, a)) return a;
  return widens(a, b) ? b : undefined;
}

export function widen(value: Value, type: ScalarType): Value {
  return value.type === type ? value : emitOne("convert", { a: value }, {}, [type]);
}

/** Two staged values in one type. */
function meetValues(a: Value, b: Value, op: string): [Value, Value] {
  if (isOpen(a) && isOpen(b)) {
    unify(a, b);
    return [a, b];
  }
  if (isOpen(a) || isOpen(b)) {
    const [x, y] = [promoted(a), promoted(b)];
    if (isOpen(x)) settle(x, y.type as ScalarType);
    else settle(y, x.type as ScalarType);
    return [x, y];
  }
  const [x, y] = [promoted(a), promoted(b)];
  const [s, t] = [x.type as ScalarType, y.type as ScalarType];
  const type = common(s, t) ?? failHere("W2003", { op, a: typeText(s), b: typeText(t), fix: mixFix(s, t, op) });
  return [widen(x, type), widen(y, type)];
}

/** The operands of `op` as the author wrote them, where each is one word. */
function writtenOperands(op: string): readonly [string, string] | undefined {
  const [here] = spansHere();
  const [left, symbol, right, ...more] = (here && textAt(here))?.split(" ") ?? [];
  return left && right && symbol === op && more.length === 0 ? [left, right] : undefined;
}

function mixFix(a: ScalarType, b: ScalarType, op: string): string {
  if (a === "pred" || b === "pred") return "write `b ? 1 : 0` for a truth value, or convert it with i32(b)";
  if (isFloat(a) !== isFloat(b)) {
    const [whole, float] = isFloat(a) ? [b, a] : [a, b];
    const [left = "", right = ""] = writtenOperands(op) ?? [];
    if (left && right) {
      const [asFloat, asWhole] = isFloat(a)
        ? [`${left} ${op} ${float}(${right})`, `${whole}(${left}) ${op} ${right}`]
        : [`${float}(${left}) ${op} ${right}`, `${left} ${op} ${whole}(${right})`];
      return `convert the integer, \`${asFloat}\`, or round the other one, \`${asWhole}\``;
    }
    return `convert the integer, \`${float}(n)\`, or round the other one, \`${whole}(x)\``;
  }
  if (isInteger(a))
    return a.endsWith("64") || b.endsWith("64")
      ? "convert one of them: `i64(n)` makes a 64-bit integer, `i32(n)` a 32-bit one"
      : `convert one of them: \`i32(n)\` or \`u32(n)\``;
  return "convert both to f32, `f32(x)`, or one to the other's type";
}

/** The two operands of `op` as values of one type: literals take the type of the value they meet. At least one is staged. */
export function meet(a: Operand, b: Operand, op: string): [Value, Value] {
  if (isStagedScalar(a)) {
    if (isStagedScalar(b)) return meetValues(a.value, b.value, op);
    const value = promoted(a.value);
    return [value, besideLiteral(value, b, op)];
  }
  if (!isStagedScalar(b)) throw new Error("two literals do not meet on the GPU");
  const value = promoted(b.value);
  return [besideLiteral(value, a, op), value];
}

function besideLiteral(value: Value, literal: Literal, op: string): Value {
  if ((value.type === "pred") !== (typeof literal === "boolean")) {
    failHere("W2006", { op, what: value.type === "pred" ? "a bool" : `\`${literal}\`` });
  }
  if (isOpen(value) && isOpenBigint(value) !== (typeof literal === "bigint")) {
    failHere("W2003", {
      op,
      a: isOpenBigint(value) ? "bigint" : "number",
      b: typeof literal,
      fix: "write both as bigints, `1n`, or both as numbers, `1`",
    });
  }
  return constantLike(literal, value);
}

/** Refuses a bool where a number is asked for. */
export function wantNumber(x: Operand, op: string): Operand {
  if (typeof x === "boolean" || (isStagedScalar(x) && x.type === "pred")) failHere("W2006", { op, what: describe(x) });
  return x;
}

export const wrap = (value: Value): StagedScalar => new StagedScalar(value);
