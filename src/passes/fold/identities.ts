import { anyOp, isInteger, type Op, opSpec, type Value, withParts } from "../../ir/index.ts";
import { wrapTo } from "../evaluate/number.ts";
import { operand } from "../rewrite/rewrite.ts";
import {
  constInstead,
  definedBy,
  type FoldContext,
  type Folded,
  instead,
  integerOf,
  literalIn,
  literalOf,
  newConst,
  scalarOf,
} from "./context.ts";

/** Literals stand on the right. */
function literalRight(op: Op, a: Value, b: Value, c: FoldContext): Folded {
  if (!opSpec(op.name).commutative || literalOf(a, c) === undefined || literalOf(b, c) !== undefined) return undefined;
  return { ops: [withParts(op, { operands: { a: b, b: a } })] };
}

type Rule = (op: Op, a: Value, b: Value, n: bigint, c: FoldContext) => Folded;
const keep: Rule = (_op, a) => ({ value: a });
const ifIs =
  (n: bigint, rule: Rule): Rule =>
  (op, a, b, k, c) =>
    k === n ? rule(op, a, b, k, c) : undefined;
const either =
  (...rules: readonly Rule[]): Rule =>
  (op, a, b, n, c) => {
    for (const rule of rules) {
      const folded = rule(op, a, b, n, c);
      if (folded) return folded;
    }
    return undefined;
  };
const gives =
  (k: bigint): Rule =>
  (op, a) =>
    constInstead(op, literalIn(a.type, k));

/** x + (y + 1) with 1 a literal: literals gather. Integers wrap, so this is exact. */
const gather: Rule = (op, a, _b, n, c) => {
  const inner = definedBy(a, "add", c);
  const k = integerOf(inner?.operands.b, c);
  const type = scalarOf(a);
  if (!inner || k === undefined || !type) return undefined;
  const sum = newConst(op, a.type, wrapTo(type, n + k), c);
  return { ops: [sum as Op, instead(op, "add", { a: inner.operands.a, b: sum.results[0] ?? a }, {})] };
};

/** x - literal is x + its negative. */
const addNegative: Rule = (op, a, _b, n, c) => {
  const type = scalarOf(a);
  if (!type) return undefined;
  const minus = newConst(op, a.type, wrapTo(type, -n), c);
  return { ops: [minus as Op, instead(op, "add", { a, b: minus.results[0] ?? a }, {})] };
};

const log2 = (n: bigint): number | undefined => (n > 0n && (n & (n - 1n)) === 0n ? n.toString(2).length - 1 : undefined);

/** Division by a power of two of what is not negative is a shift. */
const shiftDown: Rule = (op, a, _b, n, c) => {
  const by = log2(n);
  if (by === undefined || !c.facts.nonNegative(a)) return undefined;
  const count = newConst(op, "i32", by, c);
  return { ops: [count as Op, instead(op, "shr", { a, by: count.results[0] ?? a }, {})] };
};

const mask: Rule = (op, a, _b, n, c) => {
  if (log2(n) === undefined || !c.facts.nonNegative(a)) return undefined;
  const bits = newConst(op, a.type, literalIn(a.type, n - 1n), c);
  return { ops: [bits as Op, instead(op, "and", { a, b: bits.results[0] ?? a }, {})] };
};

/** Integers with a literal on the right. */
const withLiteral: Readonly<Record<string, Rule>> = {
  add: either(ifIs(0n, keep), gather),
  sub: either(ifIs(0n, keep), addNegative),
  mul: either(ifIs(1n, keep), ifIs(0n, gives(0n))),
  div: either(ifIs(0n, gives(0n)), ifIs(1n, keep), shiftDown),
  rem: either(ifIs(0n, gives(0n)), ifIs(1n, gives(0n)), mask),
  and: either(ifIs(0n, gives(0n)), ifIs(-1n, keep)),
  or: ifIs(0n, keep),
  xor: ifIs(0n, keep),
  shl: ifIs(0n, keep),
  shr: ifIs(0n, keep),
};

function integers(op: Op, a: Value, b: Value, c: FoldContext): Folded {
  if (a === b && (op.name === "sub" || op.name === "xor")) return constInstead(op, literalIn(a.type, 0n));
  if (a === b && opSpec(op.name).idempotent) return { value: a };
  const n = integerOf(b, c);
  return n === undefined ? undefined : withLiteral[op.name]?.(op, a, b, n, c);
}

/** x * 1 and x / 1 are x for floats too; x + 0 is not (-0 + 0 is 0). */
function floats(op: Op, a: Value, b: Value, c: FoldContext): Folded {
  return (op.name === "mul" || op.name === "div") && literalOf(b, c) === 1 ? { value: a } : undefined;
}

function logic(op: Op, a: Value, b: Value, c: FoldContext): Folded {
  if (a === b && opSpec(op.name).idempotent) return { value: a };
  const k = literalOf(b, c);
  if (typeof k !== "boolean") return undefined;
  if (op.name === "and") return k ? { value: a } : { value: b };
  if (op.name === "or") return k ? { value: b } : { value: a };
  if (op.name !== "xor") return undefined;
  return k ? { ops: [instead(op, "not", { a }, {})] } : { value: a };
}

/** Ops of two operands, by what those are. */
function ofTwo(op: Op, c: FoldContext): Folded {
  const a = operand(op, "a");
  const b = a && (operand(op, "b") ?? operand(op, "by"));
  if (!a || !b) return undefined;
  const rule = a.type === "pred" ? logic : isInteger(a.type) ? integers : floats;
  return literalRight(op, a, b, c) ?? rule(op, a, b, c);
}

const opposite = { eq: "ne", ne: "eq", lt: "ge", ge: "lt", gt: "le", le: "gt" } as const;

/** not(not x) is x; not(a < b) is a >= b, but for floats, where NaN makes both false, only == and != are opposites. */
function negation(op: Op<"not">, c: FoldContext): Folded {
  const { a } = op.operands;
  const inner = definedBy(a, "not", c);
  if (inner) return { value: inner.operands.a };
  const cmp = definedBy(a, "cmp", c);
  if (!cmp) return undefined;
  const { is } = cmp.attrs;
  const ordered = isInteger(cmp.operands.a.type);
  return ordered || is === "eq" || is === "ne" ? { ops: [instead(op, "cmp", cmp.operands, { is: opposite[is] })] } : undefined;
}

function selection(op: Op<"select">, c: FoldContext): Folded {
  const { condition, yes, no } = op.operands;
  const known = literalOf(condition, c);
  if (typeof known === "boolean") return { value: known ? yes : no };
  if (yes === no) return { value: yes };
  const inner = definedBy(condition, "not", c);
  if (inner) return { ops: [instead(op, "select", { condition: inner.operands.a, yes: no, no: yes }, {})] };
  if (literalOf(yes, c) === true && literalOf(no, c) === false) return { value: condition };
  return literalOf(yes, c) === false && literalOf(no, c) === true
    ? { ops: [instead(op, "not", { a: condition }, {})] }
    : undefined;
}

/** An integer beside itself; one that is not negative beside 0; a predicate beside a literal. */
function comparison(op: Op<"cmp">, c: FoldContext): Folded {
  const { a, b } = op.operands;
  const { is } = op.attrs;
  if (a.type === "pred") {
    const k = literalOf(b, c);
    if (typeof k !== "boolean" || (is !== "eq" && is !== "ne")) return undefined;
    return k === (is === "eq") ? { value: a } : { ops: [instead(op, "not", { a }, {})] };
  }
  if (!isInteger(a.type)) return undefined;
  if (a === b) return constInstead(op, is === "eq" || is === "le" || is === "ge");
  const zero = integerOf(b, c) === 0n;
  if (zero && c.facts.nonNegative(a) && (is === "lt" || is === "ge")) return constInstead(op, is === "ge");
  return undefined;
}

/** A conversion to the type it has. */
function conversion(op: Op<"convert">): Folded {
  const { a } = op.operands;
  return a.type === op.results[0]?.type ? { value: a } : undefined;
}

function magnitude(op: Op, c: FoldContext): Folded {
  const a = operand(op, "a");
  return op.name === "abs" && a && isInteger(a.type) && c.facts.nonNegative(a) ? { value: a } : undefined;
}

/** Ops that their operands make simpler. */
export function foldIdentities(raw: Op, c: FoldContext): Folded {
  const op = anyOp(raw);
  switch (op.name) {
    case "not":
      return negation(op, c);
    case "select":
      return selection(op, c);
    case "cmp":
      return comparison(op, c);
    case "convert":
      return conversion(op);
    case "abs":
      return magnitude(raw, c);
    default:
      return ofTwo(raw, c);
  }
}
