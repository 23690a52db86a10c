import { anyOp, type Literal, type Op, operandList, usesSome } from "../../ir/index.ts";
import { binary, bitcast, compare, converted, funnel, fused, roundInteger, unary } from "../number.ts";
import { constInstead, type FoldContext, type Folded, literalOf, scalarOf } from "./context.ts";

const binaries = new Set(["add", "sub", "mul", "mul.hi", "div", "rem", "min", "max", "and", "or", "xor", "shl", "shr"]);
const unaries = new Set(["neg", "abs", "not", "sqrt", "popc", "clz", "brev"]);

/** What the op gives where all its operands are literals; undefined where that is the hardware's to say. */
export function evaluate(raw: Op, [a, b, d]: readonly Literal[]): Literal | undefined {
  const op = anyOp(raw);
  const from = scalarOf(operandList(raw)[0]);
  const to = scalarOf(raw.results[0]);
  if (a === undefined || !from || !to) return undefined;
  if (b !== undefined && binaries.has(op.name)) return binary(op.name, from, a, b);
  if (unaries.has(op.name)) return unary(op.name, from, a);
  switch (op.name) {
    case "fma":
      return fused(from, Number(a), Number(b), Number(d));
    case "cmp":
      return b === undefined ? undefined : compare(op.attrs.is, from, a, b);
    case "convert":
      return converted(from, to, a);
    case "bitcast":
      return bitcast(from, to, a);
    case "round":
      return roundInteger(op.attrs.mode, from, Number(a));
    case "shf":
      return b === undefined || d === undefined ? undefined : funnel(from, op.attrs.direction, a, b, d);
    default:
      return undefined;
  }
}

/** Ops on literals alone become literals; what is asserted of them and holds needs no check. */
export function foldConstants(op: Op, c: FoldContext): Folded {
  if (op.name === "assert") return literalOf((op as Op<"assert">).operands.condition, c) === true ? { ops: [] } : undefined;
  if (op.results.length !== 1) return undefined;
  const literals: Literal[] = [];
  const open = usesSome(op, (value) => {
    const literal = literalOf(value, c);
    if (literal !== undefined) literals.push(literal);
    return literal === undefined;
  });
  if (open || literals.length === 0) return undefined;
  const result = evaluate(op, literals);
  return result === undefined ? undefined : constInstead(op, result);
}
