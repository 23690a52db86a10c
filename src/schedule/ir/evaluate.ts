/** Indices and conditions of a program as functions of its loops' values. */
import type { BinaryOp, Expr, Var } from "./types.ts";

/** The values of variables. */
export type Values = ReadonlyMap<Var, number>;

/** What an expression is where loops have these values; undefined where an element of a buffer decides. */
export function numberOf(e: Expr, values: Values): number | undefined {
  switch (e.kind) {
    case "const":
      return Number(e.value);
    case "var":
      return values.get(e);
    case "binary": {
      const [a, b] = [numberOf(e.a, values), numberOf(e.b, values)];
      return a === undefined || b === undefined ? undefined : operations[e.op](a, b);
    }
    case "unary": {
      const a = numberOf(e.a, values);
      return a === undefined ? undefined : e.op === "-" ? -a : e.op === "!" ? Number(a === 0) : undefined;
    }
    case "cast":
      return numberOf(e.a, values);
    case "select": {
      const condition = numberOf(e.condition, values);
      return condition === undefined ? undefined : numberOf(condition !== 0 ? e.yes : e.no, values);
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
