/** Integer expressions as sums: a number of times each of some atoms, and a constant. What is the same sum is written the same way. */
import { add, binary, int, mul, sub } from "./build.ts";
import type { Expr } from "./types.ts";

export interface Term {
  /** A variable, a load, a division that does not go through, or a product of such. */
  readonly atom: Expr;
  readonly factor: number;
}
export interface Linear {
  /** By the key of the atom, in the order in which they first appeared. Factors are not 0. */
  readonly terms: ReadonlyMap<string, Term>;
  readonly constant: number;
}

const ids = new WeakMap<object, number>();
let next = 0;
function idOf(x: object): number {
  const known = ids.get(x);
  if (known !== undefined) return known;
  ids.set(x, ++next);
  return next;
}

/** The same text for expressions that are built alike of the same variables and buffers. */
export function keyOf(e: Expr): string {
  switch (e.kind) {
    case "const":
      return `${e.value}:${e.dtype}`;
    case "var":
      return `v${idOf(e)}`;
    case "binary":
      return `(${keyOf(e.a)}${e.op}${keyOf(e.b)})`;
    case "unary":
      return `${e.op}(${keyOf(e.a)})`;
    case "cast":
      return `${e.dtype}(${keyOf(e.a)})`;
    case "select":
      return `(${keyOf(e.condition)}?${keyOf(e.yes)}:${keyOf(e.no)})`;
    case "load":
      return `b${idOf(e.buffer)}[${e.indices.map(keyOf).join()}]`;
  }
}
export const sameExpr = (a: Expr, b: Expr): boolean => a === b || keyOf(a) === keyOf(b);

export const constantSum = (constant: number): Linear => ({ terms: new Map(), constant });
export const atomSum = (atom: Expr, factor = 1): Linear => ({ terms: new Map([[keyOf(atom), { atom, factor }]]), constant: 0 });

export function plus(a: Linear, b: Linear, times = 1): Linear {
  if (times === 0) return a;
  const constant = a.constant + times * b.constant;
  // Nobody changes the terms of a sum.
  if (b.terms.size === 0) return { terms: a.terms, constant };
  if (a.terms.size === 0 && times === 1) return { terms: b.terms, constant };
  const terms = new Map(a.terms);
  for (const [key, { atom, factor }] of b.terms) {
    const sum = (terms.get(key)?.factor ?? 0) + times * factor;
    if (sum === 0) terms.delete(key);
    else terms.set(key, { atom: terms.get(key)?.atom ?? atom, factor: sum });
  }
  return { terms, constant };
}
export const scaled = (a: Linear, times: number): Linear => plus(constantSum(0), a, times);

/** The factors of a product that is an atom. */
const factorsOf = (e: Expr): readonly Expr[] =>
  e.kind === "binary" && e.op === "*" ? [...factorsOf(e.a), ...factorsOf(e.b)] : [e];
function product(a: Expr, b: Expr): Expr {
  const all = [...factorsOf(a), ...factorsOf(b)].map((e) => ({ e, key: keyOf(e) }));
  const [first, ...rest] = all.toSorted((x, y) => (x.key < y.key ? -1 : x.key > y.key ? 1 : 0)).map((x) => x.e);
  return rest.reduce<Expr>((p, e) => binary("*", p, e), first ?? int(1));
}
export function times(a: Linear, b: Linear): Linear {
  let sum = scaled(a, b.constant);
  for (const { atom, factor } of b.terms.values()) {
    for (const t of a.terms.values()) sum = plus(sum, atomSum(product(t.atom, atom), t.factor * factor));
    if (a.constant !== 0) sum = plus(sum, atomSum(atom, factor * a.constant));
  }
  return sum;
}

/** The sum as an expression: what is added first, in the order of its atoms, what is taken away last. */
export function sumExpr({ terms, constant }: Linear): Expr {
  const all = [...terms.values()];
  const term = (atom: Expr, factor: number): Expr => mul(atom, int(factor));
  let sum: Expr | undefined;
  for (const { atom, factor } of all) if (factor > 0) sum = sum ? add(sum, term(atom, factor)) : term(atom, factor);
  const first = constant > 0 || !sum;
  if (first) sum = sum ? add(sum, int(constant)) : int(constant);
  let whole: Expr = sum ?? int(constant);
  for (const { atom, factor } of all) if (factor < 0) whole = sub(whole, term(atom, -factor));
  return first ? whole : sub(whole, int(-constant));
}
