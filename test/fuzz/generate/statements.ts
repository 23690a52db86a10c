/** Random statements of every kind, one after the other. */
import { product, type Stmt } from "../program.ts";
import {
  branch,
  commonBranch,
  commonLoop,
  labelledBlock,
  rangeLoop,
  staticLoop,
  sumLoop,
  switchOver,
  whileLoop,
} from "./control.ts";
import { absorb, mark } from "./digest.ts";
import type { Made, Maker, Scope } from "./maker.ts";
import { atomic, ballot, count, exchange, ownAtomic, ownLoad, store, storeVector, subview, vector } from "./memory-statements.ts";
import { assign, closure, declare } from "./variables.ts";

const simple = {
  declare: 5,
  assign: 6,
  store: 3,
  ownLoad: 1,
  vector: 0.7,
  storeVector: 0.7,
  subview: 1,
  atomic: 1.5,
  ownAtomic: 1,
  closure: 0.7,
} as const;
const nested = { branch: 7, switch: 1, range: 4, while: 4, static: 1.5, block: 1, sum: 1 } as const;
const common = { exchange: 3, count: 2, common: 1.5, commonBranch: 1 } as const;

type Kind = keyof typeof simple | keyof typeof nested | keyof typeof common | "ballot";

/** A helper computes: it does not touch memory. */
const pure: ReadonlySet<Kind> = new Set<Kind>([
  "declare",
  "assign",
  "branch",
  "switch",
  "range",
  "while",
  "static",
  "block",
  "sum",
  "closure",
]);
const loops: ReadonlySet<Kind> = new Set<Kind>(["range", "while", "static", "common", "sum"]);

const makers: Readonly<Record<Kind, (m: Maker, scope: Scope) => Made | undefined>> = {
  declare,
  assign,
  store,
  ownLoad,
  vector,
  storeVector,
  subview,
  atomic,
  ownAtomic,
  closure,
  branch,
  switch: switchOver,
  range: rangeLoop,
  while: whileLoop,
  static: staticLoop,
  block: labelledBlock,
  sum: sumLoop,
  exchange,
  count,
  common: commonLoop,
  commonBranch,
  ballot,
};

function statement(m: Maker, scope: Scope): Made {
  const weights: Partial<Record<Kind, number>> = {
    ...simple,
    ...(scope.depth > 0 ? nested : {}),
    ...(scope.uniform ? common : {}),
    ...(scope.uniform && !m.ended && scope.loops === mostLoops && warps(m) ? { ballot: 1.5 } : {}),
  };
  const allowed = Object.entries(weights).filter(
    ([kind]) =>
      (scope.returns === "thread" || pure.has(kind as Kind)) &&
      (!loops.has(kind as Kind) || scope.loops > 0) &&
      (!kind.startsWith("common") || scope.depth > 0),
  );
  m.left--;
  return makers[m.random.weighted(Object.fromEntries(allowed)) as Kind](m, scope) ?? assign(m, scope);
}

/** How deep loops may be nested. */
export const mostLoops = 2;

const warps = (m: Maker): boolean => product(m.threads) % 32 === 0;

/** Some statements, one after the other. */
export function statements(m: Maker, scope: Scope, most: number): Made {
  const list: Stmt[] = [];
  let inside = scope;
  for (let i = m.random.between(1, most); i > 0 && m.left > 0; i--) {
    const made = statement(m, inside);
    list.push(...made.statements);
    inside = made.scope;
  }
  return { statements: list, scope: inside };
}

/** The inside of a construct. That it ran, and what it made, is mixed into the digest. */
export function block(m: Maker, scope: Scope, most: number): readonly Stmt[] {
  const made = statements(m, scope, most);
  const local = made.scope.variables.slice(scope.variables.length);
  return [...(m.random.chance(0.5) ? mark(m, scope) : []), ...made.statements, ...absorb(made.scope, local)];
}
