import { type Op, sources, type Value } from "../../ir/index.ts";
import { gcd } from "../facts/known.ts";
import type { Expansion } from "./expansion.ts";

/** Ops looked through, one inside the other. */
const deepest = 12;

/**
 * The greatest divisor of `n` that surely divides a value: of the graph's own values as the facts have it, of what is written in their
 * place by looking through sums, products, shifts, conversions and branches. Of parameters that parts of views become it is what is taken for granted.
 */
function divisor(x: Expansion, value: Value, n: number, depth = deepest): number {
  if (n === 1) return 1;
  const granted = x.granted.get(value.id);
  if (granted !== undefined) return gcd(n, granted);
  if (value.id < x.firstNew) return x.facts.divisor(value, n);
  const op = depth > 0 ? x.w.definition(value) : undefined;
  const of = (operand: Value, most = n): number => divisor(x, operand, most, depth - 1);
  switch (op?.name) {
    case "const":
      return gcd(n, Math.abs(x.w.literalOf(value) ?? 1));
    case "add":
    case "sub":
      return of(op.operands.b, of(op.operands.a));
    case "select":
      return of(op.operands.no, of(op.operands.yes));
    case "mul":
      return gcd(n, of(op.operands.a) * of(op.operands.b));
    case "shl": {
      const by = x.w.literalOf(op.operands.by);
      const power = by === undefined ? 1 : gcd(n, 2 ** by);
      return power * of(op.operands.a, n / power);
    }
    case "convert":
      return of(op.operands.a);
    case "if":
      return sources(op as Op, value).reduce((most, side) => of(side, most), n);
    default:
      return 1;
  }
}

/** The greatest divisor of `n` that surely divides an integer. */
export const divisorOf = (x: Expansion, value: Value, n: number): number => divisor(x, value, n);

/** Does `n` surely divide an integer? Zero is a multiple of everything. */
export const isMultipleOf = (x: Expansion, value: Value, n: number): boolean => divisor(x, value, n) === n;
