import { isScalar, type Literal, type Op, type OpName, operandList, type ScalarType, type Value } from "../../ir/index.ts";
import { binary, bitcast, compare, converted, funnel, fused, roundInteger, unary } from "./number.ts";

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
  "fma.sat": (_op, from, _to, [a, b, c]) => {
    const sum = Number(fused(from, Number(a), Number(b), Number(c)));
    return sum > 0 ? Math.min(sum, 1) : 0;
  },
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

/** Is there a rule for what ops of that name give? */
export const isEvaluated = (name: OpName): boolean => rules[name] !== undefined;

const scalarOf = (value: Value | undefined): ScalarType | undefined => (value && isScalar(value.type) ? value.type : undefined);

/** What the op gives where all its operands are literals; undefined where that is the hardware's to say. */
export function evaluate(op: Op, literals: readonly Literal[]): Literal | undefined {
  const rule = rules[op.name];
  const from = rule && scalarOf(operandList(op)[0]);
  const to = scalarOf(op.results[0]);
  return from && to && literals.length > 0 ? rule(op, from, to, literals) : undefined;
}
