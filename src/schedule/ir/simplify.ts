/**
 * Integer expressions made shorter by what is known of their variables, and what can be proved of them. Everything is exact: an
 * expression and what it is simplified to are equal for every value that its variables may have.
 */
import { binary, constant, floorDiv, int, intOf, isFalse, isTrue, mod } from "./build.ts";
import { atomSum, constantSum, type Linear, plus, scaled, sumExpr, type Term, times } from "./linear.ts";
import type { BinaryOp, Expr, Var } from "./types.ts";

/** What a variable may be: from `min` to `max`, both included. Bounds name variables that are bound further out, and sizes. */
export interface Bounds {
  readonly min: Expr;
  readonly max: Expr;
}
/** The bounds of the variables in scope, the outermost first. What is missing is not negative. */
export type Known = ReadonlyMap<Var, Bounds>;

export const bounded = (extent: Expr): Bounds => ({
  min: int(0),
  max: sumExpr(plus(linearOf(extent, new Map()), constantSum(-1))),
});
export const size: Bounds = { min: int(1), max: int(2 ** 31 - 1) };

interface Interval {
  readonly min: number;
  readonly max: number;
}
const everything: Interval = { min: -Infinity, max: Infinity };

/** The sum that an integer expression is. */
export function linearOf(e: Expr, known: Known): Linear {
  switch (e.kind) {
    case "const":
      return constantSum(Number(e.value));
    case "var": {
      const bounds = known.get(e);
      const [min, max] = [bounds && intOf(bounds.min), bounds && intOf(bounds.max)];
      return min !== undefined && min === max ? constantSum(min) : atomSum(e);
    }
    case "binary":
      return binarySum(e.op, e, known);
    case "load":
      return atomSum({ ...e, indices: e.indices.map((i) => simplify(i, known)) });
    case "select": {
      const condition = simplify(e.condition, known);
      if (isTrue(condition)) return linearOf(e.yes, known);
      if (isFalse(condition)) return linearOf(e.no, known);
      return atomSum({ ...e, condition, yes: simplify(e.yes, known), no: simplify(e.no, known) });
    }
    case "unary":
      return e.op === "-" ? scaled(linearOf(e.a, known), -1) : atomSum(e);
    case "cast":
      return atomSum(e);
  }
}

function binarySum(op: BinaryOp, e: Expr & { kind: "binary" }, known: Known): Linear {
  const [a, b] = [linearOf(e.a, known), linearOf(e.b, known)];
  switch (op) {
    case "+":
      return rejoined(plus(a, b));
    case "-":
      return rejoined(plus(a, b, -1));
    case "*":
      return times(a, b);
    case "floorDiv":
      return b.terms.size === 0 && b.constant > 0 ? divided(a, b.constant, known) : atomSum(floorDiv(sumExpr(a), sumExpr(b)));
    case "%":
      return b.terms.size === 0 && b.constant > 0 ? remainder(a, b.constant, known) : atomSum(mod(sumExpr(a), sumExpr(b)));
    case "min":
    case "max": {
      const difference = intervalOf(plus(a, b, -1), known);
      if (difference.max <= 0) return op === "min" ? a : b;
      if (difference.min >= 0) return op === "min" ? b : a;
      return atomSum(binary(op, sumExpr(a), sumExpr(b)));
    }
    default:
      return atomSum(binary(op, sumExpr(a), sumExpr(b)));
  }
}

const gcd = (a: number, b: number): number => (b === 0 ? Math.abs(a) : gcd(b, a % b));

/** A sum without the terms that a condition picks, and those alone. */
function parted({ terms, constant: c }: Linear, pick: (t: Term) => boolean): readonly [Linear, Linear] {
  const [yes, no] = [new Map<string, Term>(), new Map<string, Term>()];
  for (const [key, t] of terms) (pick(t) ? yes : no).set(key, t);
  return [
    { terms: yes, constant: 0 },
    { terms: no, constant: c },
  ];
}

/** `x` as `by * whole + rest`, where nothing of `rest` but its constant is divisible; the constant of `rest` is from 0 to `by` - 1. */
function splitBy(x: Linear, by: number): { whole: Linear; rest: Linear } {
  const [even, odd] = parted(x, (t) => t.factor % by === 0);
  const q = Math.floor(x.constant / by);
  const whole = {
    terms: new Map([...even.terms].map(([k, t]) => [k, { ...t, factor: t.factor / by }])),
    constant: q,
  };
  return { whole, rest: { terms: odd.terms, constant: x.constant - q * by } };
}

/** The smallest part of a sum that stays below a divisor of `by` which divides all the rest: it changes no quotient. */
function lowPart(x: Linear, by: number, known: Known): { high: Linear; low: Linear } | undefined {
  const units = [...new Set([...x.terms.values()].map((t) => gcd(t.factor, by)))].filter((g) => g > 1).toSorted((a, b) => b - a);
  for (const unit of units) {
    const [high, rest] = parted(x, (t) => t.factor % unit === 0);
    const q = Math.floor(rest.constant / unit) * unit;
    const low = { terms: rest.terms, constant: rest.constant - q };
    const { min, max } = intervalOf(low, known);
    if (min >= 0 && max < unit) return { high: { terms: high.terms, constant: q }, low };
  }
  return undefined;
}

/** floor(x / by). */
function divided(x: Linear, by: number, known: Known): Linear {
  if (by === 1) return x;
  const { whole, rest } = splitBy(x, by);
  const { min, max } = intervalOf(rest, known);
  if (Math.floor(min / by) === Math.floor(max / by)) return plus(whole, constantSum(Math.floor(min / by)));
  const parts = lowPart(rest, by, known);
  if (parts && (parts.low.terms.size > 0 || parts.low.constant > 0)) return plus(whole, divided(parts.high, by, known));
  const g = [...rest.terms.values()].reduce((all, t) => gcd(all, t.factor), by);
  if (g > 1) return plus(whole, divided({ ...splitBy(rest, g).whole }, by / g, known));
  const [only] = rest.terms.size === 1 && rest.constant === 0 ? rest.terms.values() : [];
  if (only?.factor === 1 && only.atom.kind === "binary") {
    const { op, a, b } = only.atom;
    const c = intOf(b);
    if (op === "floorDiv" && c !== undefined && c > 0) return plus(whole, divided(linearOf(a, known), by * c, known));
    if (op === "%" && c !== undefined && c % by === 0 && intervalOf(linearOf(a, known), known).min >= 0)
      return plus(whole, remainder(divided(linearOf(a, known), by, known), c / by, known));
  }
  return plus(whole, atomSum(floorDiv(sumExpr(rest), int(by))));
}

/** x % by; where x may be negative, as it stands: `%` of TypeScript takes its sign. */
function remainder(x: Linear, by: number, known: Known): Linear {
  const all = intervalOf(x, known);
  if (all.min < 0) return atomSum(mod(sumExpr(x), int(by)));
  if (all.max < by) return x;
  if (by === 1) return constantSum(0);
  const { rest } = splitBy(x, by);
  const { min, max } = intervalOf(rest, known);
  if (min < 0) return atomSum(mod(sumExpr(x), int(by)));
  if (max < by) return rest;
  const parts = lowPart(rest, by, known);
  if (parts && (parts.low.terms.size > 0 || parts.low.constant > 0) && intervalOf(parts.high, known).min >= 0)
    return plus(remainder(parts.high, by, known), parts.low);
  const g = [...rest.terms.values()].reduce((d, t) => gcd(d, t.factor), by);
  if (g > 1) {
    const { whole, rest: low } = splitBy(rest, g);
    return plus(scaled(remainder(whole, by / g, known), g), low);
  }
  const [only] = rest.terms.size === 1 && rest.constant === 0 ? rest.terms.values() : [];
  if (only?.factor === 1 && only.atom.kind === "binary" && only.atom.op === "%") {
    const c = intOf(only.atom.b);
    if (c !== undefined && c % by === 0) return remainder(linearOf(only.atom.a, known), by, known);
  }
  return atomSum(mod(sumExpr(rest), int(by)));
}

/** `x / c * c + x % c` is x again. */
function rejoined(x: Linear): Linear {
  for (const [key, t] of x.terms) {
    if (t.atom.kind !== "binary" || t.atom.op !== "%") continue;
    const c = intOf(t.atom.b);
    if (c === undefined) continue;
    const quotient = atomSum(floorDiv(t.atom.a, t.atom.b));
    const [other] = quotient.terms.keys();
    const found = other === undefined ? undefined : x.terms.get(other);
    if (!found || other === undefined || found.factor !== t.factor * c) continue;
    const terms = new Map([...x.terms].filter(([k]) => k !== key && k !== other));
    return rejoined(plus({ terms, constant: x.constant }, linearOf(t.atom.a, new Map()), t.factor));
  }
  return x;
}

/** The expression as short as it gets; of integers a sum, of conditions what is left to be asked, else as it is. */
export function simplify(e: Expr, known: Known): Expr {
  if (e.dtype === "i32") return sumExpr(linearOf(e, known));
  if (e.kind === "binary" && (e.op === "&&" || e.op === "||"))
    return binary(e.op, simplify(e.a, known), simplify(e.b, known), "bool");
  if (e.kind === "binary" && e.a.dtype === "i32" && e.dtype === "bool") return comparison(e.op, e.a, e.b, known);
  return e;
}

function comparison(op: BinaryOp, a: Expr, b: Expr, known: Known): Expr {
  const left = linearOf(a, known);
  const right = linearOf(b, known);
  const { min, max } = intervalOf(plus(left, right, -1), known);
  const sure = truthOf(op, min, max);
  return sure === undefined ? binary(op, sumExpr(left), sumExpr(right), "bool") : constant(sure, "bool");
}

/** Whether `d op 0` for every d from `min` to `max`, for none, or that is not known. */
function truthOf(op: BinaryOp, min: number, max: number): boolean | undefined {
  switch (op) {
    case "<":
      return max < 0 ? true : min >= 0 ? false : undefined;
    case "<=":
      return max <= 0 ? true : min > 0 ? false : undefined;
    case ">":
      return min > 0 ? true : max <= 0 ? false : undefined;
    case ">=":
      return min >= 0 ? true : max < 0 ? false : undefined;
    case "===":
      return min === 0 && max === 0 ? true : min > 0 || max < 0 ? false : undefined;
    case "!==":
      return min === 0 && max === 0 ? false : min > 0 || max < 0 ? true : undefined;
    default:
      return undefined;
  }
}

export const provably = (e: Expr, known: Known): boolean => isTrue(simplify(e, known));

/** What a sum may be. Variables whose bounds are no numbers are put in place of one another, the innermost first, so that `i < n` is found out. */
export function intervalOf(x: Linear, known: Known): Interval {
  const direct = summed(x, known);
  if (![...known.values()].some((b) => intOf(b.max) === undefined)) return direct;
  return {
    min: Math.max(direct.min, summed(extreme(x, known, false), known).min),
    max: Math.min(direct.max, summed(extreme(x, known, true), known).max),
  };
}

/** The sum with each variable that has symbolic bounds put at the one which makes it greatest, or least. */
function extreme(x: Linear, known: Known, greatest: boolean): Linear {
  let sum = x;
  for (const [v, { min, max }] of [...known].reverse()) {
    const found = [...sum.terms].find(([, t]) => t.atom === v);
    if (!found || (intOf(min) !== undefined && intOf(max) !== undefined)) continue;
    const [key, { factor }] = found;
    const terms = new Map([...sum.terms].filter(([k]) => k !== key));
    sum = plus({ terms, constant: sum.constant }, linearOf(factor > 0 === greatest ? max : min, known), factor);
  }
  return sum;
}

function summed(x: Linear, known: Known): Interval {
  let [min, max] = [x.constant, x.constant];
  for (const { atom, factor } of x.terms.values()) {
    const of = atomInterval(atom, known);
    min += Math.min(factor * of.min, factor * of.max);
    max += Math.max(factor * of.min, factor * of.max);
  }
  return { min, max };
}

function atomInterval(e: Expr, known: Known): Interval {
  if (e.kind === "var") {
    const bounds = known.get(e);
    if (!bounds) return { min: 0, max: Infinity };
    const [low, high] = [numbersOf(bounds.min, known), numbersOf(bounds.max, known)];
    return { min: low.min, max: high.max };
  }
  if (e.kind === "select") {
    const [a, b] = [numbersOf(e.yes, known), numbersOf(e.no, known)];
    return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
  }
  return e.kind === "binary" ? binaryInterval(e, known) : everything;
}

const numbersOf = (e: Expr, known: Known): Interval => {
  const n = intOf(e);
  return n !== undefined ? { min: n, max: n } : summed(linearOf(e, known), known);
};

function binaryInterval(e: Expr & { kind: "binary" }, known: Known): Interval {
  const [a, b] = [numbersOf(e.a, known), numbersOf(e.b, known)];
  switch (e.op) {
    case "floorDiv":
      return b.min > 0
        ? { min: Math.floor(Math.min(a.min / b.min, a.min / b.max)), max: Math.floor(Math.max(a.max / b.min, a.max / b.max)) }
        : everything;
    case "%":
      return b.min > 0 ? { min: a.min < 0 ? 1 - b.max : 0, max: a.max < 0 ? 0 : Math.min(a.max, b.max - 1) } : everything;
    case "min":
      return { min: Math.min(a.min, b.min), max: Math.min(a.max, b.max) };
    case "max":
      return { min: Math.max(a.min, b.min), max: Math.max(a.max, b.max) };
    case "*": {
      const all = [a.min * b.min, a.min * b.max, a.max * b.min, a.max * b.max].map((n) => (Number.isNaN(n) ? 0 : n));
      return { min: Math.min(...all), max: Math.max(...all) };
    }
    default:
      return everything;
  }
}
