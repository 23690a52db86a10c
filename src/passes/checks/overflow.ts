import { compare, constant, first, or, shr, xor } from "../../ir/arith.ts";
import { anyOp, type Check, type Emitter, isInteger, isSigned, type Op, type Value } from "../../ir/index.ts";
import { type Interval, liesIn, rangeOf } from "./intervals.ts";

const unary = ["neg", "abs"] as const;
const sums = ["add", "sub", "mul"] as const;
const divisions = ["div", "rem"] as const;
type Name = (typeof unary)[number] | (typeof sums)[number] | (typeof divisions)[number];
const names: ReadonlySet<string> = new Set<Name>([...unary, ...sums, ...divisions]);

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

/** The op as such an operator. */
export function operatorOf(raw: Op | undefined): Operator | undefined {
  const op = raw && anyOp(raw);
  const [result] = op?.results ?? [];
  if (!op || !result || !names.has(op.name)) return undefined;
  const { a, b = a } = op.operands as { readonly a: Value; readonly b?: Value };
  return { name: op.name as Name, a, b, result };
}

/** Do the low 32 bits of the result depend on those of its operands alone? */
export const isModular = ({ name }: Operator): boolean => name === "add" || name === "sub" || name === "neg";

type Of = (value: Value) => Interval;

/** The exact results of an operator, by those of its operands. */
function exactResults({ name, a, b }: Operator, of: Of): Interval {
  const [p, q] = of(a);
  const [r, s] = of(b);
  switch (name) {
    case "neg":
      return [-q, -p];
    case "abs":
      return [0, Math.max(-p, q)];
    case "add":
      return [p + r, q + s];
    case "sub":
      return [p - s, q - r];
    case "mul": {
      const products = [p * r, p * s, q * r, q * s];
      return [Math.min(...products), Math.max(...products)];
    }
    // Only the least integer by -1 passes the range.
    case "div":
      return r > -1 || s < -1 || p > rangeOf(a.type)[0] ? [0, 0] : [0, -p];
    case "rem":
      return [0, 0];
  }
}

const leastOf = (e: Emitter, { result }: Operator): Value =>
  result.type === "i64" ? constant(e, -(2n ** 63n), "i64") : constant(e, -(2 ** 31), "i32");

/** Computes whether an operator on i32 or i64 gave the exact result. */
function isExact(e: Emitter, op: Operator): Value {
  const { name, a, b, result } = op;
  switch (name) {
    case "neg":
    case "abs":
      return compare(e, "ne", a, leastOf(e, op));
    case "div":
    case "rem":
      return or(e, compare(e, "ne", a, leastOf(e, op)), compare(e, "ne", b, -1));
    case "mul": {
      const high = first(e.emit("mul.hi", { a, b }, {}));
      return compare(e, "eq", high, shr(e, result, result.type === "i64" ? 63 : 31));
    }
    default: {
      // Wrong exactly where the sign of the result fits neither: Warren, Hacker's Delight, 2-13.
      const left = name === "add" ? xor(e, a, result) : xor(e, a, b);
      const right = name === "add" ? xor(e, b, result) : xor(e, a, result);
      return compare(e, "ge", e.once("and", { a: left, b: right }, {}), 0);
    }
  }
}

/** What may be wrong with a result. `holds` computes whether it is not. */
interface Doubt {
  readonly finding: Finding;
  readonly holds: (e: Emitter) => Value;
}

/** What may be wrong with the result of an operator that the author wrote as `symbol`; nothing where it can be shown to be exact. */
export function doubts(op: Operator, symbol: string, of: Of): readonly Doubt[] {
  const { type } = op.result;
  if (!isInteger(type)) return [];
  const found: Doubt[] = [];
  const check = { about: "overflow", operator: op.name === "neg" ? "neg" : symbol } as const;
  const [least, most] = op.name === "div" || op.name === "rem" ? of(op.b) : [1, 1];
  if (least <= 0 && most >= 0) {
    const finding = { parts: ["", ` ${symbol} 0 is no ${type}`], values: [op.a], check: { ...check, operator: `${symbol} 0` } };
    found.push({ finding, holds: (e) => compare(e, "ne", op.b, 0) });
  }
  if (isSigned(type) && !liesIn(exactResults(op, of), rangeOf(type)))
    found.push({ finding: { ...told(op, symbol), check }, holds: (e) => isExact(e, op) });
  return found;
}

/** What is said of a result that is not exact: "2147483647 + 1 does not fit i32". */
function told({ name, a, b, result }: Operator, symbol: string): Pick<Finding, "parts" | "values"> {
  const end = ` does not fit ${result.type}`;
  if (name === "neg" || name === "abs") return { parts: [`${symbol}(`, `)${end}`], values: [a] };
  return { parts: ["", ` ${symbol} `, end], values: [a, b] };
}
