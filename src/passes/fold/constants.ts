import { type Literal, type Op, type OpName, operandList, type ScalarType, usesSome } from "../../ir/index.ts";
import { binary, bitcast, compare, converted, funnel, fused, roundInteger, unary } from "../number.ts";
import { constInstead, type FoldContext, type Folded, literalOf, scalarOf } from "./context.ts";

/** What an op gives for literals, by the types of its first operand and of its result. */
type Rule = (op: Op, from: ScalarType, to: ScalarType, literals: readonly Literal[]) => Literal | undefined;

const ofTwo: Rule = (op, from, _to, [a, b]) => (a === undefined || b === undefined ? undefined : binary(op.name, from, a, b));
const ofOne: Rule = (op, from, _to, [a]) => (a === undefined ? undefined : unary(op.name, from, a));

const rules: Partial<Readonly<Record<OpName, Rule>>> = {
  add: ofTwo,
  sub: ofTwo,
  mul: ofTwo,
  "mul.hi": ofTwo,
  div: ofTwo,
  rem: ofTwo,
  min: ofTwo,
  max: ofTwo,
  and: ofTwo,
  or: ofTwo,
  xor: ofTwo,
  shl: ofTwo,
  shr: ofTwo,
  neg: ofOne,
  abs: ofOne,
  not: ofOne,
  sqrt: ofOne,
  popc: ofOne,
  clz: ofOne,
  brev: ofOne,
  fma: (_op, from, _to, [a, b, c]) => fused(from, Number(a), Number(b), Number(c)),
  cmp: (op, from, _to, [a, b]) =>
    a === undefined || b === undefined ? undefined : compare((op as Op<"cmp">).attrs.is, from, a, b),
  convert: (_op, from, to, [a]) => (a === undefined ? undefined : converted(from, to, a)),
  bitcast: (_op, from, to, [a]) => (a === undefined ? undefined : bitcast(from, to, a)),
  round: (op, from, _to, [a]) => roundInteger((op as Op<"round">).attrs.mode, from, Number(a)),
  shf: (op, from, _to, [a, b, by]) =>
    a === undefined || b === undefined || by === undefined
      ? undefined
      : funnel(from, (op as Op<"shf">).attrs.direction, a, b, by),
};

/** What the op gives where all its operands are literals; undefined where that is the hardware's to say. */
export function evaluate(op: Op, literals: readonly Literal[]): Literal | undefined {
  const rule = rules[op.name];
  const from = rule && scalarOf(operandList(op)[0]);
  const to = scalarOf(op.results[0]);
  return from && to && literals.length > 0 ? rule(op, from, to, literals) : undefined;
}

/** Ops on literals alone become literals; what is asserted of them and holds needs no check. */
export function foldConstants(op: Op, c: FoldContext): Folded {
  if (op.name === "assert") return literalOf((op as Op<"assert">).operands.condition, c) === true ? { ops: [] } : undefined;
  if (op.results.length !== 1 || !rules[op.name]) return undefined;
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
