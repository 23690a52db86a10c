/** Whether threads have to meet between two accesses of one buffer or of the same bytes, and which of them. */

import type { Access } from "../../facts/accesses.ts";
import { extentOf, isThreadTag, type Launch, threadTags } from "../../facts/launch.ts";
import { groupFor, groupsOf } from "../../facts/participants.ts";
import type { Tags } from "../../facts/tags.ts";
import { fillsRegisters } from "../../intrinsics/access.ts";
import { intrinsicOf } from "../../intrinsics/registry.ts";
import { add, intOf, one, sub } from "../../ir/build.ts";
import { atomSum, type Linear, sameExpr, type Term } from "../../ir/linear.ts";
import type { Known } from "../../ir/simplify.ts";
import { intervalOf, linearOf } from "../../ir/simplify.ts";
import type { Expr, ThreadTag, Var } from "../../ir/types.ts";
import { substituteIn, variablesOf } from "../../ir/walk.ts";
import { shareBytes } from "../buffers/shared-bytes.ts";

export type Meeting = "none" | "warp" | "block";

/**
 * What is the same for both accesses: loops around both, in the same iteration. `next`: a loop whose next iteration has the later access;
 * `later`: one of whose later iterations any may have it.
 */
export interface Together {
  readonly same: ReadonlySet<Var>;
  readonly next?: Var;
  readonly later?: Var;
}

/** An access as sums of indices of the hardware and loops. */
interface Form {
  readonly sums: readonly Linear[];
  readonly known: Known;
  /** Elements of each dimension. */
  readonly extents: readonly number[];
  /** Thread indices that are whatever they are (in a group that runs an intrinsic together). */
  readonly free: readonly ThreadTag[];
  readonly bound: readonly ThreadTag[];
  /** Threads that no loop is bound for run it, too. */
  readonly everywhere: boolean;
}

interface Interval {
  readonly min: number;
  readonly max: number;
}

/** A term that both have with values of their own; `only`: that one of them has, which then is 0 where they touch the same element. */
interface Own extends Term {
  readonly only: Form | undefined;
}

export class Meetings {
  readonly #launch: Launch;
  readonly #tags: Tags;

  constructor(launch: Launch, tags: Tags) {
    this.#launch = launch;
    this.#tags = tags;
  }

  #form(a: Access, next: Var | undefined): Form {
    const known = this.#tags.known(a.loops);
    const later = (e: Expr): Expr => (next ? substituteIn(e, new Map([[next, add(next, one)]])) : e);
    const sums = a.mins.map((e) => linearOf(later(this.#tags.canonical(e, a.loops)), known));
    const spans = a.by.kind === "intrinsic" && a.by.span ? [a.by.span] : undefined;
    const free = a.by.kind === "intrinsic" ? groupFor(intrinsicOf(a.by.name, spans), this.#launch, spans).inner : [];
    const everywhere = a.by.kind === "store" ? a.by.buffer.scope === "local" : a.by.kind === "intrinsic" && fillsRegisters(a.by);
    const bound = a.loops.flatMap((l) => (isThreadTag(l.loop) ? [l.loop] : []));
    return { sums, known, extents: a.extents.map((e) => intOf(e) ?? Number.POSITIVE_INFINITY), free, bound, everywhere };
  }

  /** Who has to meet between an access and a later one: of one buffer, or of two that lie in the same bytes. */
  between(first: Access, second: Access, together: Together): Meeting {
    const { same, next } = together;
    if (!(first.writes || second.writes)) return "none";
    if (first.buffer !== second.buffer) return shareBytes(first.buffer, second.buffer) ? "block" : "none";
    if (first.buffer.scope !== "shared" && first.buffer.scope !== "global") return "none";
    const a = this.#form(first, undefined);
    const b = this.#form(second, next);
    const fixed = (v: Var): boolean => same.has(v) || v === next || this.#tags.isBlock(v);
    if (a.sums.some((_, d) => this.#apart(a, b, d, fixed, together.later))) return "none";
    const found = this.#found(a, b, fixed, together.later);
    const open = threadTags.filter((tag) => extentOf(this.#launch, tag) > 1 && !this.#agrees(tag, a, b, found));
    if (open.length === 0) return "none";
    const warp = groupsOf(32, this.#launch);
    return warp && !warp.first && open.every((tag) => warp.inner.includes(tag)) ? "warp" : "block";
  }

  /** Is the index one thread's in both accesses where they touch the same element? */
  #agrees(tag: ThreadTag, a: Form, b: Form, terms: readonly Own[]): boolean {
    if (a.free.includes(tag) || b.free.includes(tag)) return false;
    // What fills registers runs in all threads, and what is stored in memory in the first one alone.
    if (!a.bound.includes(tag) && !b.bound.includes(tag)) return !a.everywhere && !b.everywhere;
    const v = this.#tags.variable(tag);
    const found = terms.filter((t) => t.only === undefined).map((t) => t.atom);
    // One has it in its index, where it has to be 0, and the other one is run by thread 0 alone.
    if (terms.some((t) => t.atom === v && t.only && !(t.only === a ? b : a).bound.includes(tag))) return true;
    if (found.includes(v)) return true;
    // What is left of a division, and the quotient.
    return found.some(
      (e) =>
        e.kind === "binary" &&
        e.op === "%" &&
        e.a === v &&
        found.some((q) => q.kind === "binary" && q.op === "floorDiv" && q.a === v && sameExpr(q.b, e.b)),
    );
  }

  /** How far apart the two are in a dimension: the terms that both have, each with values of its own, and the rest. */
  #difference(a: Form, b: Form, d: number, fixed: (v: Var) => boolean): { rest: Interval; own: readonly Own[] } | undefined {
    const [x, y] = [a.sums[d], b.sums[d]];
    if (!x || !y) return undefined;
    let rest: Interval = {
      min: y.constant - x.constant - ((a.extents[d] ?? 1) - 1),
      max: y.constant - x.constant + (b.extents[d] ?? 1) - 1,
    };
    const own: Own[] = [];
    const loosely = ({ atom, factor }: Term, known: Known): void => {
      const { min, max } = intervalOf(atomSum(atom, factor), known);
      rest = { min: rest.min + min, max: rest.max + max };
    };
    for (const key of new Set([...x.terms.keys(), ...y.terms.keys()])) {
      const [p, q] = [x.terms.get(key), y.terms.get(key)];
      const atom = (p ?? q)?.atom;
      if (!atom) continue;
      const names = variablesOf(atom);
      const isFixed = names.every(fixed);
      if (isFixed) {
        const factor = (q?.factor ?? 0) - (p?.factor ?? 0);
        if (factor !== 0) loosely({ atom, factor }, q ? b.known : a.known);
      } else if (p && q ? p.factor === q.factor : names.every((v) => this.#tags.isThread(v) || fixed(v))) {
        own.push({ atom, factor: (p ?? q)?.factor ?? 0, only: p ? (q ? undefined : a) : b });
      } else {
        if (p) loosely({ atom, factor: -p.factor }, a.known);
        if (q) loosely(q, b.known);
      }
    }
    return { rest, own };
  }

  /** Do they surely touch different elements, whatever the threads? */
  #apart(a: Form, b: Form, d: number, fixed: (v: Var) => boolean, later: Var | undefined): boolean {
    const [x, y] = [a.sums[d], b.sums[d]];
    if (x && y && a.extents[d] === 1 && b.extents[d] === 1 && differInRemainder(x, y, fixed)) return true;
    const difference = this.#difference(a, b, d, fixed);
    if (!difference) return false;
    const { equal, rest } = this.#settled(difference, a.known, later);
    let { min, max } = rest;
    for (const t of difference.own) {
      if (t.atom === later || equal.includes(t)) continue;
      const reach = this.#reach(t, a.known);
      min -= reach;
      max += reach;
    }
    return min > 0 || max < 0;
  }

  /** Terms that have to be equal where both touch the same element: those that outweigh all that is smaller; `later` moves the rest. */
  #settled(
    { rest, own }: { readonly rest: Interval; readonly own: readonly Own[] },
    known: Known,
    later: Var | undefined,
  ): { readonly equal: readonly Own[]; readonly rest: Interval } {
    let { min, max } = rest;
    const moving = own.find((t) => t.atom === later);
    if (moving) {
      const most = intervalOf(atomSum(moving.atom), known).max * moving.factor;
      min += Math.min(moving.factor, most);
      max += Math.max(moving.factor, most);
    }
    const terms = own.filter((t) => t !== moving).toSorted((x, y) => Math.abs(y.factor) - Math.abs(x.factor));
    const off = Math.max(Math.abs(min), Math.abs(max));
    const outweighs = (t: Term, i: number): boolean =>
      terms.slice(i + 1).reduce((sum, s) => sum + this.#reach(s, known), off) < Math.abs(t.factor);
    const end = terms.findIndex((t, i) => !outweighs(t, i));
    return { equal: end < 0 ? terms : terms.slice(0, end), rest: { min, max } };
  }

  /** How much a term may differ between two threads, or two iterations. */
  #reach({ atom, factor }: Term, known: Known): number {
    const { min, max } = intervalOf(atomSum(atom), known);
    return Math.abs(factor) * (max - min);
  }

  /** Terms that are equal where both touch the same element. */
  #found(a: Form, b: Form, fixed: (v: Var) => boolean, later: Var | undefined): readonly Own[] {
    return a.sums.flatMap((_, d) => {
      const difference = this.#difference(a, b, d, fixed);
      return difference ? this.#settled(difference, a.known, later).equal : [];
    });
  }
}

/** `x % n` and `(x + c) % n` where c is no multiple of n. */
function differInRemainder(x: Linear, y: Linear, fixed: (v: Var) => boolean): boolean {
  const [p, q] = [remainderOf(x), remainderOf(y)];
  if (!p || !q || p.by !== q.by || ![p.of, q.of].every((e) => variablesOf(e).every(fixed))) return false;
  const apart = linearOf(sub(p.of, q.of), new Map());
  return apart.terms.size === 0 && apart.constant % p.by !== 0;
}

function remainderOf({ terms, constant }: Linear): { readonly of: Expr; readonly by: number } | undefined {
  const [only, ...more] = terms.values();
  if (constant !== 0 || more.length > 0 || only?.factor !== 1 || only.atom.kind !== "binary" || only.atom.op !== "%")
    return undefined;
  const by = intOf(only.atom.b);
  return by === undefined ? undefined : { of: only.atom.a, by };
}
