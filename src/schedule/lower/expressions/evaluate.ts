/** Expressions of a program as values of the kernel language. */

import type { DType } from "../../../base/types.ts";
import type { Trace } from "../../../dsl/emit.ts";
import { binary, callMath, choose, convertTo, noVariables, selectValue, truth, unary } from "../../../dsl/emit.ts";
import type { Binary, Expr, Load, MathOp, Var } from "../../ir/types.ts";
import { within } from "../../ir/walk.ts";

/** What is needed to evaluate: variables, and what loads give. Integers that are known while tracing are numbers of JavaScript. */
export interface Evaluation {
  readonly trace: Trace;
  variable(v: Var): unknown;
  load(e: Load): unknown;
}

type Registers = Parameters<typeof convertTo>[0];
/** What holds an element of that type in registers. */
const registerOf = (dtype: DType): Registers => (dtype === "bool" ? "pred" : dtype === "tf32" ? "f32" : dtype);

const functions: Readonly<Record<MathOp, (x: number) => number>> = {
  abs: Math.abs,
  exp: Math.exp,
  exp2: (x) => 2 ** x,
  log: Math.log,
  log2: Math.log2,
  sqrt: Math.sqrt,
  tanh: Math.tanh,
  sin: Math.sin,
  cos: Math.cos,
  floor: Math.floor,
  ceil: Math.ceil,
};

const loads = (e: Expr): boolean => {
  for (const x of within(e)) if (x.kind === "load") return true;
  return false;
};

/** Is it surely not negative? Variables are not, and so is what sums, products and quotients make of them. */
function isNatural(e: Expr): boolean {
  if (e.kind === "const") return typeof e.value === "number" && e.value >= 0;
  if (e.kind !== "binary") return e.kind === "var";
  return ["+", "*", "floorDiv", "%", "min", "max"].includes(e.op) && isNatural(e.a) && isNatural(e.b);
}

/** The value as the register type of `dtype`. */
export const asType = (value: unknown, dtype: DType): unknown => convertTo(registerOf(dtype), value);

export function evaluate(e: Expr, on: Evaluation): unknown {
  switch (e.kind) {
    case "const":
      return e.dtype === "i32" || e.dtype === "bool" ? e.value : asType(e.value, e.dtype);
    case "var":
      return on.variable(e);
    case "binary":
      return evaluateBinary(e, on);
    case "unary": {
      const a = evaluate(e.a, on);
      if (e.op === "-" || e.op === "!") return unary(e.op, a);
      if (e.op === "exp2") return binary("**", 2, a);
      return callMath(functions[e.op], [a]);
    }
    case "cast":
      return asType(evaluate(e.a, on), e.dtype);
    case "select":
      return either(
        e.condition,
        on,
        () => evaluate(e.yes, on),
        () => evaluate(e.no, on),
        loads(e.yes) || loads(e.no),
      );
    case "load":
      return on.load(e);
  }
}

/** The value of one side; only that side's loads happen. */
function either(condition: Expr, on: Evaluation, yes: () => unknown, no: () => unknown, lazy: boolean): unknown {
  const c = truth(evaluate(condition, on));
  if (typeof c === "boolean") return c ? yes() : no();
  return lazy ? choose(on.trace, c, yes, no, noVariables) : selectValue(c, yes(), no());
}

function evaluateBinary(e: Binary, on: Evaluation): unknown {
  const { op } = e;
  if (op === "&&")
    return either(
      e.a,
      on,
      () => evaluate(e.b, on),
      () => false,
      loads(e.b),
    );
  if (op === "||")
    return either(
      e.a,
      on,
      () => true,
      () => evaluate(e.b, on),
      loads(e.b),
    );
  const [a, b] = [evaluate(e.a, on), evaluate(e.b, on)];
  if (op === "min" || op === "max") return callMath(Math[op], [a, b]);
  if (op === "floorDiv") return callMath(isNatural(e.a) ? Math.trunc : Math.floor, [binary("/", a, b)]);
  return binary(op, a, b);
}
