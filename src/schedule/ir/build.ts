/** Small constructors of expressions and statements; constants are folded, so that what is printed stays short. */
import type { DType } from "../../base/types.ts";
import type { Binary, BinaryOp, Buffer, Const, Expr, For, Load, Seq, Stmt, Unary, Var } from "./types.ts";

/** An i32. It has one zero. */
export const int = (value: number): Const => ({ kind: "const", dtype: "i32", value: value + 0 });
export const constant = (value: number | boolean, dtype: DType): Const => ({ kind: "const", dtype, value });
export const variable = (name: string): Var => ({ kind: "var", name, dtype: "i32" });
export const zero: Const = int(0);
export const one: Const = int(1);
export const yes: Const = constant(true, "bool");

/** The number of an integer constant; undefined of anything else. */
export const intOf = (e: Expr): number | undefined => (e.kind === "const" && typeof e.value === "number" ? e.value : undefined);
export const isInt = (e: Expr, value: number): boolean => e.kind === "const" && e.value === value;

const comparisons: ReadonlySet<BinaryOp> = new Set(["<", "<=", ">", ">=", "===", "!==", "&&", "||"]);

/** `a op b` with the rules of i32 for constants and for 0 and 1; floats are left alone, so that nothing rounds otherwise. */
export function binary(op: BinaryOp, a: Expr, b: Expr, dtype: DType = comparisons.has(op) ? "bool" : a.dtype): Expr {
  return (
    (dtype === "i32" || dtype === "bool" ? folded(op, a, b) : undefined) ?? ({ kind: "binary", op, dtype, a, b } satisfies Binary)
  );
}

function folded(op: BinaryOp, a: Expr, b: Expr): Expr | undefined {
  if (op === "&&") return isTrue(a) || isFalse(b) ? b : isTrue(b) || isFalse(a) ? a : undefined;
  if (op === "||") return isFalse(a) || isTrue(b) ? b : isFalse(b) || isTrue(a) ? a : undefined;
  if (a.dtype !== "i32" || b.dtype !== "i32") return undefined;
  const x = intOf(a);
  const y = intOf(b);
  if (x !== undefined && y !== undefined) return known(op, x, y);
  if (op === "+") return x === 0 ? b : y === 0 ? a : undefined;
  if (op === "-") return y === 0 ? a : undefined;
  if (op === "*") return x === 0 || y === 1 ? a : y === 0 || x === 1 ? b : undefined;
  if (op === "floorDiv") return y === 1 || x === 0 ? a : undefined;
  if (op === "%") return y === 1 ? zero : x === 0 ? a : undefined;
  return undefined;
}

const truth = (value: boolean): Const => constant(value, "bool");

function known(op: BinaryOp, x: number, y: number): Expr | undefined {
  switch (op) {
    case "+":
      return int((x + y) | 0);
    case "-":
      return int((x - y) | 0);
    case "*":
      return int(Math.imul(x, y));
    case "floorDiv":
      return y === 0 ? undefined : int(Math.floor(x / y) | 0);
    case "%":
      return y === 0 ? undefined : int((x % y) | 0);
    case "min":
      return int(Math.min(x, y));
    case "max":
      return int(Math.max(x, y));
    case "<":
      return truth(x < y);
    case "<=":
      return truth(x <= y);
    case ">":
      return truth(x > y);
    case ">=":
      return truth(x >= y);
    case "===":
      return truth(x === y);
    case "!==":
      return truth(x !== y);
    default:
      return undefined;
  }
}

export const isTrue = (e: Expr): boolean => e.kind === "const" && e.value === true;
export const isFalse = (e: Expr): boolean => e.kind === "const" && e.value === false;

export const add = (a: Expr, b: Expr): Expr => binary("+", a, b);
export const sub = (a: Expr, b: Expr): Expr => binary("-", a, b);
export const mul = (a: Expr, b: Expr): Expr => binary("*", a, b);
export const floorDiv = (a: Expr, b: Expr): Expr => binary("floorDiv", a, b);
export const mod = (a: Expr, b: Expr): Expr => binary("%", a, b);
export const less = (a: Expr, b: Expr): Expr => binary("<", a, b);
export const equal = (a: Expr, b: Expr): Expr => binary("===", a, b);
export const and = (a: Expr, b: Expr): Expr => binary("&&", a, b);
export const both = (a: Expr | undefined, b: Expr | undefined): Expr | undefined => (a && b ? and(a, b) : (a ?? b));

export const load = (buffer: Buffer, indices: readonly Expr[]): Load => ({ kind: "load", dtype: buffer.dtype, buffer, indices });
export const cast = (dtype: DType, a: Expr): Expr => (a.dtype === dtype ? a : { kind: "cast", dtype, a });
export const unary = (op: Unary["op"], a: Expr, dtype: DType = a.dtype): Expr => ({ kind: "unary", op, dtype, a });

/** Statements in order, nested sequences flattened; of one, that statement. */
export function seq(...body: readonly Stmt[]): Stmt {
  const flat = body.flatMap((s) => (s.kind === "seq" ? s.body : [s]));
  const [only] = flat;
  return flat.length === 1 && only ? only : ({ kind: "seq", body: flat } satisfies Seq);
}

/** A serial loop without annotations, or with what `more` says. */
export const loop = (v: Var, extent: Expr, body: Stmt, more: Partial<For> = {}): For => ({
  kind: "for",
  loop: "serial",
  annotations: {},
  ...more,
  variable: v,
  extent,
  body,
});
