/** Indices and conditions of a program as functions of its loops' values. */
import type { BinaryOp, Expr, Var } from "../ir/types.ts";

/** The values of variables. */
export type Values = ReadonlyMap<Var, number>;

/** What an expression is where loops have these values; undefined where an element of a buffer decides. */
export function valueOf(e: Expr, values: Values): number | undefined {
  switch (e.kind) {
    case "const":
      return Number(e.value);
    case "var":
      return values.get(e);
    case "binary": {
      const [a, b] = [valueOf(e.a, values), valueOf(e.b, values)];
      return a === undefined || b === undefined ? undefined : operations[e.op](a, b);
    }
    case "unary": {
      const a = valueOf(e.a, values);
      return a === undefined ? undefined : e.op === "-" ? -a : e.op === "!" ? Number(a === 0) : undefined;
    }
    case "cast":
      return valueOf(e.a, values);
    case "select": {
      const condition = valueOf(e.condition, values);
      return condition === undefined ? undefined : valueOf(condition !== 0 ? e.yes : e.no, values);
    }
    case "load":
      return undefined;
  }
}

const operations: Readonly<Record<BinaryOp, (a: number, b: number) => number>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  floorDiv: (a, b) => Math.floor(a / b),
  "%": (a, b) => a % b,
  min: Math.min,
  max: Math.max,
  "<": (a, b) => Number(a < b),
  "<=": (a, b) => Number(a <= b),
  ">": (a, b) => Number(a > b),
  ">=": (a, b) => Number(a >= b),
  "===": (a, b) => Number(a === b),
  "!==": (a, b) => Number(a !== b),
  "&&": (a, b) => Number(a !== 0 && b !== 0),
  "||": (a, b) => Number(a !== 0 || b !== 0),
};
