/** Whether iterations of a nest may come in another order: which of them touch the same elements, one of them writing. */

import { intrinsicAccess } from "../intrinsics/access.ts";
import { int, intOf } from "../ir/build.ts";
import { knownIn } from "../ir/known.ts";
import { atomSum, sameExpr, type Term } from "../ir/linear.ts";
import { bounded, intervalOf, type Known, linearOf } from "../ir/simplify.ts";
import type { Block, Buffer, Expr, For, Program, Stmt, Var } from "../ir/types.ts";
import { expressionsOf, type Substitution, statements, substituteIn, within } from "../ir/walk.ts";
import { readsOnlyFresh, touchedBuffers } from "./depends.ts";
import { reads } from "./touches.ts";

/** A part of a buffer, in variables of loops. */
export interface Part {
  readonly mins: readonly Expr[];
  readonly extents: readonly Expr[];
  readonly known: Known;
}

/** One access: axes of blocks are their values. */
interface Access extends Part {
  readonly buffer: Buffer;
  readonly reads: boolean;
  readonly writes: boolean;
  readonly by: Stmt;
  /** The innermost block around it. */
  readonly block: Block | undefined;
}

interface Around {
  readonly values: Substitution;
  readonly known: Known;
  readonly block: Block | undefined;
}

const withKnown = (known: Known, l: For, values: Substitution): Known =>
  new Map([...known, [l.variable, bounded(substituteIn(l.extent, values))] as const]);

function* accessesIn(s: Stmt, around: Around): Generator<Access> {
  const { values, known, block } = around;
  const at = (mins: readonly Expr[], extents: readonly Expr[]) => ({
    mins: mins.map((e) => substituteIn(e, values)),
    extents: extents.map((e) => substituteIn(e, values)),
    by: s,
    block,
    known,
  });
  for (const e of s.kind === "intrinsic" ? [] : expressionsOf(s))
    for (const x of within(e))
      if (x.kind === "load")
        yield {
          buffer: x.buffer,
          reads: true,
          writes: false,
          ...at(
            x.indices,
            x.indices.map(() => int(1)),
          ),
        };
  switch (s.kind) {
    case "store": {
      const ones = s.indices.map(() => int(1));
      yield { buffer: s.buffer, reads: false, writes: true, ...at(s.indices, ones) };
      return;
    }
    case "intrinsic": {
      const how = intrinsicAccess(s);
      for (const [n, { buffer, ranges }] of s.args.entries()) {
        const [mins, extents] = [ranges.map((r) => r.min), ranges.map((r) => r.extent)];
        yield { buffer, reads: how[n]?.reads ?? true, writes: how[n]?.writes ?? true, ...at(mins, extents) };
      }
      return;
    }
    case "for":
      yield* accessesIn(s.body, { ...around, known: withKnown(known, s, values) });
      return;
    case "block": {
      const own = s.axes.map((a, i): [Var, Expr] => [a.variable, substituteIn(s.values[i] ?? int(0), values)]);
      const inside: Around = { ...around, values: new Map([...values, ...own]), block: s };
      if (s.init) yield* accessesIn(s.init, inside);
      yield* accessesIn(s.body, inside);
      return;
    }
    case "if":
      yield* accessesIn(s.yes, around);
      if (s.no) yield* accessesIn(s.no, around);
      return;
    case "seq":
      for (const x of s.body) yield* accessesIn(x, around);
  }
}

/** What a block does to one element at several of its points is said by the types of its axes, and so is what one intrinsic does. */
const isSaid = (a: Access, b: Access): boolean =>
  a.block !== undefined &&
  a.block === b.block &&
  ((a.by === b.by && a.by.kind === "intrinsic") || a.mins.every((e, d) => sameExpr(e, b.mins[d] ?? int(-1))));

/** Of two iterations of a nest, how far apart they are in one dimension: terms of its loops, and the rest between two bounds. */
interface Difference {
  readonly own: readonly Term[];
  readonly min: number;
  readonly max: number;
}

function difference(a: Part, b: Part, d: number, loops: ReadonlySet<Var>, outside: ReadonlySet<Var>): Difference {
  const nothing: Difference = { own: [], min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY };
  const [from, to] = [a.mins[d], b.mins[d]];
  const [lengthA, lengthB] = [intOf(a.extents[d] ?? int(1)), intOf(b.extents[d] ?? int(1))];
  if (!from || !to || lengthA === undefined || lengthB === undefined) return nothing;
  const [x, y] = [linearOf(from, a.known), linearOf(to, b.known)];
  let min = y.constant - x.constant - (lengthA - 1);
  let max = y.constant - x.constant + (lengthB - 1);
  const own: Term[] = [];
  const loosely = ({ atom, factor }: Term, known: Known): void => {
    const range = intervalOf(atomSum(atom, factor), known);
    min += range.min;
    max += range.max;
  };
  for (const key of new Set([...x.terms.keys(), ...y.terms.keys()])) {
    const [p, q] = [x.terms.get(key), y.terms.get(key)];
    const atom = (p ?? q)?.atom;
    if (!atom) continue;
    const names = [...within(atom)].flatMap((e) => (e.kind === "var" ? [e] : e.kind === "load" ? [undefined] : []));
    const isOutside = names.every((v) => v && outside.has(v));
    const ofNest = names.every((v) => v && (loops.has(v) || outside.has(v)));
    if (isOutside) {
      const factor = (q?.factor ?? 0) - (p?.factor ?? 0);
      if (factor !== 0) loosely({ atom, factor }, a.known);
    } else if (ofNest && p && q && p.factor === q.factor) own.push(p);
    else {
      if (p) loosely({ atom, factor: -p.factor }, a.known);
      if (q) loosely(q, b.known);
    }
  }
  return { own, min, max };
}

/** Of the loops of these variables those of which two iterations that touch one element may have different values; undefined where no two touch the same. */
export function apart(a: Part, b: Part, loops: ReadonlySet<Var>, outside: ReadonlySet<Var>): ReadonlySet<Var> | undefined {
  const all = a.mins.map((_, d) => difference(a, b, d, loops, outside));
  const equal: Expr[] = [];
  const isEqual = (t: Term): boolean =>
    equal.some((e) => sameExpr(e, t.atom)) ||
    [...within(t.atom)].every((e) => e.kind !== "var" || !loops.has(e) || isSettled(e, equal));
  const reach = (t: Term): number => {
    const { min, max } = intervalOf(atomSum(t.atom), a.known);
    return Math.abs(t.factor) * (max - min);
  };
  for (let before = -1; before < equal.length; ) {
    before = equal.length;
    for (const { own, min, max } of all) {
      const open = own.filter((t) => !isEqual(t)).toSorted((s, t) => Math.abs(t.factor) - Math.abs(s.factor));
      const most = open.reduce((sum, t) => sum + reach(t), 0);
      if (min - most > 0 || max + most < 0) return undefined;
      for (const [i, t] of open.entries()) {
        const rest = open.slice(i + 1).reduce((sum, s) => sum + reach(s), Math.max(Math.abs(min), Math.abs(max)));
        if (rest >= Math.abs(t.factor)) break;
        equal.push(t.atom);
      }
    }
  }
  return new Set([...loops].filter((v) => !isSettled(v, equal)));
}

/** A variable that is equal itself, or its quotient and its remainder. */
const isSettled = (v: Var, equal: readonly Expr[]): boolean =>
  equal.includes(v) ||
  equal.some(
    (e) =>
      e.kind === "binary" &&
      e.op === "%" &&
      e.a === v &&
      equal.some((q) => q.kind === "binary" && q.op === "floorDiv" && q.a === v && sameExpr(q.b, e.b)),
  );

/** Two statements that touch the same elements in iterations that would change places. */
export interface Conflict {
  readonly buffer: Buffer;
  readonly first: { readonly by: Stmt; readonly block: Block | undefined; readonly writes: boolean };
  readonly second: { readonly by: Stmt; readonly block: Block | undefined; readonly writes: boolean };
  readonly loops: readonly For[];
}

/** Whether each iteration of a nest fills what it reads of a buffer, and nothing outside of the nest reads it. */
function isOwn(p: Program, b: Buffer, outer: For, body: Stmt, known: Known): boolean {
  if (p.params.includes(b) || !readsOnlyFresh(body, b, known)) return false;
  const inside = new Set(statements(outer));
  const readers = [...statements(p.body)].filter(
    (s) =>
      (s.kind === "store" || s.kind === "intrinsic" || s.kind === "if" || s.kind === "for") &&
      !inside.has(s) &&
      !statementsHold(s, outer),
  );
  return !readers.some((s) => reads(s, b));
}
const statementsHold = (s: Stmt, inner: Stmt): boolean => [...statements(s)].includes(inner);

/**
 * What forbids to run the loops of a nest in another order, `arranged`, or in any order where that is undefined. `around`: statements around
 * the nest. Points of one block may change places, as its axes say.
 */
export function conflictIn(
  p: Program,
  around: readonly Stmt[],
  nest: readonly For[],
  arranged: readonly For[] | undefined,
): Conflict | undefined {
  const [outer] = nest;
  const inner = nest.at(-1);
  if (!outer || !inner) return undefined;
  const outside = knownIn(p, around);
  const known = nest.reduce<Known>((all, l) => withKnown(all, l, new Map()), outside);
  const values = new Map(
    around.flatMap((s) => (s.kind === "block" ? s.axes.map((a): [Var, Expr] => [a.variable, a.variable]) : [])),
  );
  const all = [...accessesIn(inner.body, { values, known, block: undefined })];
  const names = new Set(outside.keys());
  const variables = new Set(nest.map((l) => l.variable));
  for (const buffer of touchedBuffers(inner.body)) {
    const of = all.filter((a) => a.buffer === buffer);
    if (!of.some((a) => a.writes) || isOwn(p, buffer, outer, inner.body, known)) continue;
    for (const [i, a] of of.entries())
      for (const b of of.slice(i)) {
        if (!(a.writes || b.writes) || isSaid(a, b)) continue;
        const free = apart(a, b, variables, names);
        if (!free) continue;
        const isFree = (l: For): boolean => free.has(l.variable) && intOf(l.extent) !== 1;
        const before = nest.filter(isFree);
        const after = arranged?.filter(isFree);
        const kept = after ? before.every((l, n) => l.variable === after[n]?.variable) : before.length === 0;
        if (!kept) return { buffer, first: a, second: b, loops: before };
      }
  }
  return undefined;
}
