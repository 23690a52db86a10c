import { type Op, operandList, usesSome } from "../../ir/index.ts";
import { evaluate, isEvaluated } from "../evaluate/evaluate.ts";
import { constInstead, type FoldContext, type Folded, literalOf } from "./context.ts";

/** Ops on literals alone become literals; what is asserted of them and holds needs no check. */
export function foldConstants(op: Op, c: FoldContext): Folded {
  if (op.name === "assert") return literalOf((op as Op<"assert">).operands.condition, c) === true ? { ops: [] } : undefined;
  if (op.results.length !== 1 || !isEvaluated(op.name)) return undefined;
  const open = usesSome(op, (value) => literalOf(value, c) === undefined);
  if (open) return undefined;
  const literals = operandList(op).flatMap((value) => literalOf(value, c) ?? []);
  if (literals.length === 0) return undefined;
  const result = evaluate(op, literals);
  return result === undefined ? undefined : constInstead(op, result);
}
