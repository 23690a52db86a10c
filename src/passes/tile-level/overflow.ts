import { compare, constant, first, or, shr, xor } from "../../ir/arith.ts";
import { anyOp, type Check, type Emitter, isInteger, isSigned, type Op, type OpName, type Value } from "../../ir/index.ts";
import { type Interval, rangeOf } from "../facts/known.ts";

/** What is said of a check that fails: `parts` stand around the values, as in a log site. */
export interface Finding {
  readonly parts: readonly string[];
  readonly values: readonly Value[];
  readonly check: Check;
}

/** An operator whose result is not always an integer of its type. */
export interface Operator {
  readonly name: Name;
  readonly a: Value;
  readonly b: Value;
  readonly result: Value;
}

/** What is known of an operator whose exact result may pass its type. */
interface Rule {
  /** The exact results, by the operands. */
  readonly results: (a: Interval, b: Interval, type: Value["type"]) => Interval;
  /** Computes whether an i32 or i64 is the exact result. */
  readonly isExact: (e: Emitter, op: Operator) => Value;
  /** The low 32 bits of the result depend on those of its operands alone. */
  readonly modular?: true;
  /** It divides: by 0 there is no result. */
  readonly divides?: true;
  /** It has one operand. */
  readonly unary?: true;
}

const leastOf = (e: Emitter, { result }: Operator): Value =>
  result.type === "i64" ? constant(e, -(2n ** 63n), "i64") : constant(e, -(2 ** 31), "i32");

const notLeast: Rule["isExact"] = (e, op) => compare(e, "ne", op.a, leastOf(e, op));
/** Only the least integer by -1 passes the range. */
const notLeastByMinusOne: Rule["isExact"] = (e, op) => or(e, notLeast(e, op), compare(e, "ne", op.b, -1));

/** Wrong exactly where the sign of the result fits neither: Warren, Hacker's Delight, 2-13. */
const signFits =
  (sides: (op: Operator) => readonly [Value, Value, Value, Value]): Rule["isExact"] =>
  (e, op) => {
    const [p, q, r, s] = sides(op);
    return compare(e, "ge", e.once("and", { a: xor(e, p, q), b: xor(e, r, s) }, {}), 0);
  };

function highFits(e: Emitter, { a, b, result }: Operator): Value {
  const high = first(e.emit("mul.hi", { a, b }, {}));
  return compare(e, "eq", high, shr(e, result, result.type === "i64" ? 63 : 31));
}

function product([p, q]: Interval, [r, s]: Interval): Interval {
  const products = [p * r, p * s, q * r, q * s];
  return [Math.min(...products), Math.max(...products)];
}

const rules = {
  neg: { results: ([p, q]) => [-q, -p], isExact: notLeast, modular: true, unary: true },
  abs: { results: ([p, q]) => [0, Math.max(-p, q)], isExact: notLeast, unary: true },
  add: {
    results: ([p, q], [r, s]) => [p + r, q + s],
    isExact: signFits(({ a, b, result }) => [a, result, b, result]),
    modular: true,
  },
  sub: {
    results: ([p, q], [r, s]) => [p - s, q - r],
    isExact: signFits(({ a, b, result }) => [a, b, a, result]),
    modular: true,
  },
  mul: { results: product, isExact: highFits },
  div: {
    results: ([p], [r, s], type) => (r > -1 || s < -1 || p > rangeOf(type)[0] ? [0, 0] : [0, -p]),
    isExact: notLeastByMinusOne,
    divides: true,
  },
  rem: { results: () => [0, 0], isExact: notLeastByMinusOne, divides: true },
} satisfies Partial<Record<OpName, Rule>>;
type Name = keyof typeof rules;
const ruleOf = ({ name }: Operator): Rule => rules[name];

/** The op as such an operator. */
export function operatorOf(raw: Op | undefined): Operator | undefined {
  const op = raw && anyOp(raw);
  const [result] = op?.results ?? [];
  if (!op || !result || !Object.hasOwn(rules, op.name)) return undefined;
  const { a, b = a } = op.operands as { readonly a: Value; readonly b?: Value };
  return { name: op.name as Name, a, b, result };
}

/** Do the low 32 bits of the result depend on those of its operands alone? */
export const isModular = (op: Operator): boolean => ruleOf(op).modular === true;

type Of = (value: Value) => Interval;

/** Does every integer of `inner` lie in `outer`? An interval that is not finite does not even lie in that of 64 bits. */
export const liesIn = (inner: Interval, outer: Interval): boolean =>
  inner.every(Number.isSafeInteger) && inner[0] >= outer[0] && inner[1] <= outer[1];

/** What may be wrong with a result. `holds` computes whether it is not. */
interface Doubt {
  readonly finding: Finding;
  readonly holds: (e: Emitter) => Value;
}

/** What may be wrong with the result of an operator that the author wrote as `symbol`; nothing where it can be shown to be exact. */
export function doubts(op: Operator, symbol: string, of: Of): readonly Doubt[] {
  const { type } = op.result;
  const { divides, results, isExact } = ruleOf(op);
  if (!isInteger(type)) return [];
  const found: Doubt[] = [];
  const check = { about: "overflow", operator: op.name === "neg" ? "neg" : symbol } as const;
  const [least, most] = divides ? of(op.b) : [1, 1];
  if (least <= 0 && most >= 0) {
    const finding = { parts: ["", ` ${symbol} 0 is no ${type}`], values: [op.a], check: { ...check, operator: `${symbol} 0` } };
    found.push({ finding, holds: (e) => compare(e, "ne", op.b, 0) });
  }
  if (isSigned(type) && !liesIn(results(of(op.a), of(op.b), op.a.type), rangeOf(type)))
    found.push({ finding: { ...told(op, symbol), check }, holds: (e) => isExact(e, op) });
  return found;
}

/** What is said of a result that is not exact: "2147483647 + 1 does not fit i32". */
function told(op: Operator, symbol: string): Pick<Finding, "parts" | "values"> {
  const end = ` does not fit ${op.result.type}`;
  if (ruleOf(op).unary) return { parts: [`${symbol}(`, `)${end}`], values: [op.a] };
  return { parts: ["", ` ${symbol} `, end], values: [op.a, op.b] };
}
