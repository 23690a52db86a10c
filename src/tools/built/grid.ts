import type { Formula } from "./manifest.ts";

/** What a formula is computed of: the numbers of one launch. */
export interface LaunchNumbers {
  shape(of: number, dimension: number): number;
  stride(of: number, dimension: number): number;
  scalar(of: number): number;
}

const operators = {
  add: (a: number, b: number) => a + b,
  sub: (a: number, b: number) => a - b,
  mul: (a: number, b: number) => a * b,
  div: (a: number, b: number) => Math.trunc(a / b),
  rem: (a: number, b: number) => a % b,
  cdiv: (a: number, b: number) => Math.ceil(a / b),
  min: Math.min,
  max: Math.max,
} as const;

/** The number that a formula gives. */
export function evaluate(formula: Formula, numbers: LaunchNumbers): number {
  if (typeof formula === "number") return formula;
  if ("op" in formula) {
    const [a, b] = formula.args;
    return operators[formula.op](evaluate(a, numbers), evaluate(b, numbers));
  }
  if (formula.shape !== undefined) return numbers.shape(formula.of, formula.shape);
  if (formula.stride !== undefined) return numbers.stride(formula.of, formula.stride);
  return numbers.scalar(formula.of);
}
