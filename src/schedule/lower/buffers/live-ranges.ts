/**
 * When buffers in shared memory hold something that is still read: ranges of places in a lowered tree, counted in the order in which it runs.
 */

import { readsOnlyFresh, touches } from "../../facts/depends.ts";
import { extentOf, isBlockTag, isThreadTag, type Launch } from "../../facts/launch.ts";
import { intOf, seq } from "../../ir/build.ts";
import { bounded, type Known } from "../../ir/simplify.ts";
import type { Buffer, Expr, For, Stmt, ThreadTag, Var } from "../../ir/types.ts";
import { childrenOf, mentions, within } from "../../ir/walk.ts";

/** From a place on to another one, both included. */
export interface LiveRange {
  readonly start: number;
  readonly end: number;
}
export const meet = (a: LiveRange, b: LiveRange): boolean => a.start <= b.end && b.start <= a.end;

/** A statement with its places: its own is before those of what stands in it. */
export interface Placed extends LiveRange {
  readonly stmt: Stmt;
  readonly children: readonly Placed[];
}

/** The tree with its places. */
export function placed(stmt: Stmt, start = 0): Placed {
  let end = start;
  const children = childrenOf(stmt).map((child) => {
    const made = placed(child, end + 1);
    end = made.end;
    return made;
  });
  return { stmt, start, end, children };
}

/** A statement that all threads of a block come to, once or as often as the loops around it say. */
interface Atom {
  readonly at: Placed;
  /** Loops that are bound to threads and stand around it. */
  readonly threads: readonly For[];
  readonly known: Known;
}

/** Whether threads of one block may differ in an expression. */
const differs = (e: Expr, threads: ReadonlySet<Var>): boolean =>
  mentions(e, threads) || [...within(e)].some((x) => x.kind === "load" && x.buffer.scope !== "global");

export class LiveRanges {
  readonly #launch: Launch;
  readonly #atoms: readonly Atom[];

  constructor(root: Placed, launch: Launch) {
    this.#launch = launch;
    this.#atoms = [...this.#atomsIn(root, [], new Map())];
  }

  /** In order. What comes after one of them reads nothing that was written before. */
  of(buffer: Buffer): readonly LiveRange[] {
    return this.#ranges(
      this.#atoms.filter((a) => touches(a.at.stmt, buffer)),
      buffer,
    );
  }

  /** The statements that come one after the other for all threads: loops over threads are opened, other loops and conditions are whole. */
  *#atomsIn(at: Placed, threads: readonly For[], known: Known): Generator<Atom> {
    const { stmt } = at;
    const opened = stmt.kind === "seq" || stmt.kind === "block" || (stmt.kind === "for" && this.#isForAll(stmt));
    if (!opened) {
      yield { at, threads, known };
      return;
    }
    const inside = stmt.kind === "for" ? new Map([...known, [stmt.variable, bounded(stmt.extent)] as const]) : known;
    const around = stmt.kind === "for" && isThreadTag(stmt.loop) ? [...threads, stmt] : threads;
    for (const child of at.children) yield* this.#atomsIn(child, around, inside);
  }

  /** Is it bound to an index, and does every thread or block of the launch come into it? */
  #isForAll(s: For): boolean {
    if (isBlockTag(s.loop)) return intOf(s.extent) === extentOf(this.#launch, s.loop);
    return isThreadTag(s.loop) && intOf(s.extent) === extentOf(this.#launch, s.loop as ThreadTag);
  }

  #ranges(atoms: readonly Atom[], buffer: Buffer): readonly LiveRange[] {
    const groups: Atom[][] = [];
    atoms.forEach((a, i) => {
      const last = groups.at(-1);
      if (last && !this.#isFresh(atoms.slice(i), buffer)) last.push(a);
      else groups.push([a]);
    });
    return groups.flatMap((group) => {
      const [first] = group;
      const last = group.at(-1);
      if (!first || !last) return [];
      return group.length === 1 ? this.#inside(first, buffer) : [{ start: first.at.start, end: last.at.end }];
    });
  }

  /** Do they read only what they have written before? */
  #isFresh(atoms: readonly Atom[], buffer: Buffer): boolean {
    const known: Known = new Map(atoms.flatMap((a) => [...a.known]));
    const whole = seq(...atoms.map((a) => a.threads.reduceRight<Stmt>((body, l) => ({ ...l, body }), a.at.stmt)));
    return readsOnlyFresh(whole, buffer, known);
  }

  /** Of a buffer that one statement alone touches: in a loop each of whose iterations fills it anew, the ranges of an iteration. */
  #inside({ at, threads, known }: Atom, buffer: Buffer): readonly LiveRange[] {
    const { stmt } = at;
    const all = [{ start: at.start, end: at.end }];
    const over = new Set(threads.map((l) => l.variable));
    if (stmt.kind !== "for" || isThreadTag(stmt.loop) || isBlockTag(stmt.loop) || differs(stmt.extent, over)) return all;
    const inside: Known = new Map([...known, [stmt.variable, bounded(stmt.extent)] as const]);
    if (!readsOnlyFresh(stmt.body, buffer, inside, over)) return all;
    const atoms = at.children.flatMap((child) => [...this.#atomsIn(child, threads, inside)]);
    return this.#ranges(
      atoms.filter((a) => touches(a.at.stmt, buffer)),
      buffer,
    );
  }
}
