/** Numbers of a program: the rules of kernels. Literals take the type that they meet, narrower floats widen, nothing else mixes. */
import { elementBytes, isFloatType, numberRange, widens } from "../../base/element-types.ts";
import { roundFloat } from "../../base/small-floats.ts";
import type { DType } from "../../base/types.ts";
import { binary as build, unary as buildUnary, cast, constant, yes } from "../ir/build.ts";
import type { BinaryOp, Const, Expr, MathOp } from "../ir/types.ts";
import { ownFunction } from "./functions.ts";
import { aType, describe, failGiven, isSymbolic, Symbolic } from "./symbolic.ts";
import { failHere } from "./tracing.ts";

/** Integers of programs have 32 bits at most. */
const isInteger = (dtype: DType): boolean => numberRange(dtype) !== undefined;
const isNarrow = (dtype: DType): boolean => isInteger(dtype) && elementBytes[dtype] < 4;
const isFp8 = (dtype: DType): boolean => dtype === "e4m3" || dtype === "e5m2";

/** The nearest number that the type has; of an integer type the number itself. */
function roundTo(dtype: DType, x: number): number {
  if (dtype === "f32") return Math.fround(x);
  return dtype === "f64" || !isFloatType(dtype) ? x : roundFloat(dtype as "f16", x);
}

/** The literal as a constant of that type; undefined where the type has no such number. */
function represent(value: number | boolean, dtype: DType): Const | undefined {
  if ((typeof value === "boolean") !== (dtype === "bool")) return undefined;
  if (typeof value === "boolean") return constant(value, dtype);
  if (isFloatType(dtype)) {
    const rounded = roundTo(dtype, value);
    const lost = !Number.isFinite(rounded) || (isFp8(dtype) && Math.abs(rounded) < Math.abs(value) / 1.2 && rounded !== 0);
    return Number.isFinite(value) && lost ? undefined : constant(rounded, dtype);
  }
  const [least = 0, most = -1] = numberRange(dtype) ?? [];
  return Number.isInteger(value) && value >= least && value <= most ? constant(value + 0, dtype) : undefined;
}

function literal(value: number | boolean, dtype: DType): Const {
  const fix =
    isInteger(dtype) && !Number.isInteger(value)
      ? "convert the other side, `f32(n)`, or write a whole number"
      : `write a number that ${aType(dtype)} holds, or convert the other side`;
  return represent(value, dtype) ?? failHere("W2004", { literal: String(value), type: dtype, fix });
}

type Operand = Symbolic | number | boolean;
const isLiteral = (x: unknown): x is number | boolean => typeof x === "number" || typeof x === "boolean";
const isOpen = (x: Operand): boolean => !isSymbolic(x) || x.open !== undefined;

/** What an operator computes with; anything but a number or a truth value is an error. */
function operand(x: unknown, op: string): Operand {
  if (isSymbolic(x) || isLiteral(x)) return x;
  return failHere("W2009", { op, what: describe(x) });
}

/** An operand of no type of its own as an expression of that type. */
const opened = (x: Operand, dtype: DType): Expr => (isSymbolic(x) ? (x.open?.(dtype) ?? x.expr) : literal(x, dtype));

/** The type of an operand of no type of its own where nothing says another: i32 where it is whole, else f32. */
const ownType = (x: Operand): DType =>
  isSymbolic(x) ? x.dtype : typeof x === "boolean" ? "bool" : Number.isInteger(x) && !Object.is(x, -0) ? "i32" : "f32";

/** The value where no other says its type. */
export const toExpr = (x: Operand): Expr => (isSymbolic(x) ? x.expr : literal(x, ownType(x)));

const promoted = (e: Expr): Expr => (isNarrow(e.dtype) ? cast("i32", e) : e);

function mixFix(a: DType, b: DType): string {
  if (isFloatType(a) !== isFloatType(b)) {
    const [whole, float] = isFloatType(a) ? [b, a] : [a, b];
    return `convert one of them: \`${float}(n)\` of the ${whole}, or \`${whole}(x)\` of the ${float}`;
  }
  return isFloatType(a)
    ? "convert both to f32, `f32(x)`, or one to the other's type"
    : "convert one of them: `i32(n)` or `u32(n)`";
}

const isTruth = (x: Operand): boolean => (isSymbolic(x) ? x.dtype === "bool" : typeof x === "boolean");

/** The operands in one type. One of them at least has a type of its own. */
function meet(a: Operand, b: Operand, op: string): readonly [Expr, Expr] {
  if (isTruth(a) !== isTruth(b)) return failHere("W2006", { op, what: describe(isTruth(a) ? a : b) });
  if (isSymbolic(a) && !a.open) {
    const x = promoted(a.expr);
    if (isOpen(b) || !isSymbolic(b)) return [x, opened(b, x.dtype)];
    const y = promoted(b.expr);
    if (x.dtype === y.dtype) return [x, y];
    if (widens(x.dtype, y.dtype)) return [cast(y.dtype, x), y];
    if (widens(y.dtype, x.dtype)) return [x, cast(x.dtype, y)];
    return failHere("W2003", { op, a: x.dtype, b: y.dtype, fix: mixFix(x.dtype, y.dtype) });
  }
  const y = promoted(toExpr(b));
  return [opened(a, y.dtype), y];
}

/** Both sides have no type yet, and what comes of them has none either. */
function stillOpen(a: Operand, b: Operand, make: (x: Expr, y: Expr) => Expr): Symbolic {
  const as = (dtype: DType): Expr => make(opened(a, dtype), opened(b, dtype));
  const types = [ownType(a), ownType(b)];
  return new Symbolic(as(types.includes("f32") ? "f32" : (types[0] ?? "i32")), as);
}

const arithmetic = new Set(["+", "-", "*", "/", "%", "min", "max"]);
const comparisons = new Set(["===", "!==", "<", "<=", ">", ">="]);

const noOperator: Readonly<Record<string, string>> = {
  "**": "multiply, or write `2 ** x` with a float x",
  "&": "compute with `floorDiv`, `%` and `+`, or `&&` for truth values",
  "|": "compute with `floorDiv`, `%` and `+`, or `||` for truth values",
  "==": "write `===`",
  "!=": "write `!==`",
};

function compute(op: BinaryOp, a: Operand, b: Operand): Symbolic {
  const name = `\`${op}\``;
  for (const x of [a, b]) if (isTruth(x)) failHere("W2006", { op, what: describe(x) });
  const make = (x: Expr, y: Expr): Expr => {
    if (isFp8(x.dtype)) failHere("W2014", { op, what: aType(x.dtype) });
    if (op === "/" && isInteger(x.dtype)) failHere("W5510", {});
    if (op === "floorDiv" && !isInteger(x.dtype))
      failHere("W5511", { op: name, what: aType(x.dtype), instead: "write `Math.floor(a / b)` for floats" });
    return build(op, x, y, x.dtype);
  };
  if (isOpen(a) && isOpen(b)) return stillOpen(a, b, make);
  return new Symbolic(make(...meet(a, b, op)));
}

/** `a op b` of which one side at least is symbolic. */
export function binary(op: string, left: unknown, right: unknown): unknown {
  if (op === "===" || op === "!==") {
    // Values of different JavaScript types are never equal.
    const known = [left, right].every((x) => isSymbolic(x) || isLiteral(x));
    if (!known) return op === "!==";
  }
  if (op === "**" && left === 2 && isSymbolic(right)) return callMath("exp2", [right]);
  if (!arithmetic.has(op) && !comparisons.has(op) && op !== "floorDiv") {
    const x = isSymbolic(left) ? left : right;
    return failHere("W5511", {
      op: `\`${op}\``,
      what: describe(x),
      instead: noOperator[op] ?? "compute with + - * / %, comparisons, && and ||",
    });
  }
  const [a, b] = [operand(left, op), operand(right, op)];
  if (!comparisons.has(op)) return compute(op as BinaryOp, a, b);
  if (isTruth(a) && isTruth(b) && op !== "===" && op !== "!==") failHere("W2006", { op, what: describe(a) });
  const [x, y] = isOpen(a) && isOpen(b) ? sameOpen(a, b) : meet(a, b, op);
  return new Symbolic(build(op as BinaryOp, x, y, "bool"));
}

function sameOpen(a: Operand, b: Operand): readonly [Expr, Expr] {
  if (isTruth(a) !== isTruth(b)) return failHere("W2006", { op: "===", what: describe(isTruth(a) ? a : b) });
  const dtype = isTruth(a) ? "bool" : [ownType(a), ownType(b)].includes("f32") ? "f32" : "i32";
  return [opened(a, dtype), opened(b, dtype)];
}

/** Is it truthy? An expression where it is known only when the program runs. */
export function truth(x: unknown): boolean | Expr {
  if (!isSymbolic(x)) return Boolean(x);
  const e = x.expr;
  if (e.dtype === "bool") return e;
  const nonzero = build("!==", e, constant(0, e.dtype), "bool");
  return isFloatType(e.dtype) ? build("&&", nonzero, build("===", e, e, "bool"), "bool") : nonzero;
}

export function not(x: unknown): unknown {
  const value = truth(x);
  return typeof value === "boolean" ? !value : new Symbolic(negated(value));
}

const negated = (e: Expr): Expr =>
  e.kind === "const" ? constant(!e.value, "bool") : e.kind === "unary" && e.op === "!" ? e.a : buildUnary("!", e, "bool");

export function negative(x: Symbolic): Symbolic {
  const make = (e: Expr): Expr => {
    const a = promoted(e);
    if (a.dtype === "bool") return failHere("W2006", { op: "-", what: "a bool" });
    if (a.dtype === "u32") return failHere("W2012", { type: a.dtype });
    if (isFp8(a.dtype)) return failHere("W2014", { op: "-", what: aType(a.dtype) });
    if (a.kind === "const") return constant(isInteger(a.dtype) ? -a.value | 0 : -a.value, a.dtype);
    return buildUnary("-", a);
  };
  const { open } = x;
  return open ? new Symbolic(make(x.expr), (dtype) => make(open(dtype))) : new Symbolic(make(x.expr));
}

/** The value of one of two expressions. */
export function select(condition: Expr, yesValue: Operand, noValue: Operand): Symbolic {
  const make = (x: Expr, y: Expr): Expr => ({ kind: "select", dtype: x.dtype, condition, yes: x, no: y });
  if (isTruth(yesValue) !== isTruth(noValue))
    return failHere("W2022", { what: "this value", a: describe(yesValue), b: describe(noValue) });
  if (isOpen(yesValue) && isOpen(noValue) && !isTruth(yesValue)) return stillOpen(yesValue, noValue, make);
  const [x, y] = isTruth(yesValue) && isTruth(noValue) ? [toExpr(yesValue), toExpr(noValue)] : meetUnpromoted(yesValue, noValue);
  return new Symbolic(make(x, y));
}

/** As `meet`, where two of one narrow type stay what they are. */
function meetUnpromoted(a: Operand, b: Operand): readonly [Expr, Expr] {
  if (isSymbolic(a) && isSymbolic(b) && !a.open && !b.open && a.dtype === b.dtype) return [a.expr, b.expr];
  return meet(a, b, "? :");
}

/** The value as exactly that type: literals must be in it, a narrower float widens. `what` names it for the error. */
export function lift(x: unknown, dtype: DType, what: string): Expr {
  const bad = (): never =>
    failHere("W2010", {
      what,
      wanted: aType(dtype),
      got: describe(x),
      fix: dtype === "bool" ? "compare it: `x !== 0`" : `convert it: \`${dtype}(…)\``,
    });
  if (!isSymbolic(x) && !isLiteral(x)) return bad();
  if (isTruth(x) !== (dtype === "bool")) return bad();
  if (isOpen(x)) return opened(x, dtype);
  const e = toExpr(x);
  if (e.dtype === dtype) return e;
  return widens(e.dtype, dtype) ? cast(dtype, e) : bad();
}

/** A truth value. */
export const condition = (x: unknown, what: string): Expr => (x === true ? yes : lift(x, "bool", what));

/** A whole number that counts elements: an i32. */
export function whole(x: unknown, what: string): Expr {
  const ok = typeof x === "number" ? Number.isInteger(x) : isSymbolic(x) && (x.open !== undefined || isInteger(x.dtype));
  if (!ok)
    return failGiven(
      what,
      "a whole number",
      x,
      "give a loop variable, an axis or a sum of them; convert other numbers with `i32(x)`",
    );
  const e = isSymbolic(x) && !x.open ? promoted(x.expr) : opened(x as Operand, "i32");
  return e.dtype === "i32" ? e : cast("i32", e);
}

/** `f32(x)` and its kin. */
export function convert(dtype: DType, x: unknown): Symbolic {
  const a = operand(x, `${dtype}(…)`);
  if (isOpen(a) && !isTruth(a) && dtype !== "bool") {
    if (isSymbolic(a)) return new Symbolic(a.open?.(dtype) ?? a.expr);
    return new Symbolic(isInteger(dtype) ? literal(Math.trunc(a as number), dtype) : literal(a, dtype));
  }
  const e = toExpr(a);
  if (e.kind === "const" && typeof e.value === "number" && dtype !== "bool") {
    const exact = represent(isInteger(dtype) ? Math.trunc(e.value) : e.value, dtype);
    if (exact) return new Symbolic(exact);
  }
  if (e.kind === "const" && typeof e.value === "boolean" && dtype !== "bool")
    return new Symbolic(constant(e.value ? 1 : 0, dtype));
  if (e.kind === "const" && dtype === "bool") return new Symbolic(constant(Boolean(e.value), "bool"));
  return new Symbolic(cast(dtype, e));
}

const ofFloats = new Set<string>(["exp", "exp2", "log", "log2", "sqrt", "tanh", "sin", "cos", "floor", "ceil"]);
const known = new Set<string>([...ofFloats, "abs", "min", "max"]);

/** A function of `Math` on values of which one at least is symbolic. */
export function callMath(name: string, args: readonly unknown[]): unknown {
  if (!known.has(name))
    return failHere("W5511", {
      op: `\`Math.${name}\``,
      what: "numbers that are known only when it runs",
      instead: `use ${[...known]
        .filter((n) => n !== "exp2")
        .map((n) => `Math.${n}`)
        .join(", ")}, or \`2 ** x\``,
    });
  if (name === "min" || name === "max")
    return args
      .slice(1)
      .reduce(
        (a, b) =>
          isSymbolic(a) || isSymbolic(b)
            ? compute(name, operand(a, `Math.${name}`), operand(b, `Math.${name}`))
            : Math[name](a as number, b as number),
        args[0],
      );
  const x = operand(args[0], `Math.${name}`);
  // `Math` has no index; the names are those of `known`.
  if (!isSymbolic(x)) return (Math as unknown as Record<string, (x: number) => number>)[name]?.(x as number);
  const e = promoted(x.open && ofFloats.has(name) ? x.open("f32") : x.expr);
  if (e.dtype === "bool" || isFp8(e.dtype) || (ofFloats.has(name) && isInteger(e.dtype)))
    return failHere("W5511", {
      op: name === "exp2" ? "`2 ** x`" : `\`Math.${name}\``,
      what: aType(e.dtype),
      instead: "convert it first: `f32(x)`",
    });
  return new Symbolic(buildUnary(name as MathOp, e));
}

/** `a / b` of integers, rounded down. */
export const floorDiv: (a: number, b: number) => number = ownFunction((a: number, b: number): number => {
  const operands: readonly unknown[] = [a, b];
  return operands.some(isSymbolic) ? (binary("floorDiv", a, b) as number) : Math.floor(a / b);
});
