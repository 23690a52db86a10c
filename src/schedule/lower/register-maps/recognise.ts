/** What a nest of loops around one store says where it goes, element by element, over registers of a warpgroup. */

import { isBlockTag, isThreadTag } from "../../facts/launch.ts";
import { int, intOf } from "../../ir/build.ts";
import { clippedLoad, termsOf } from "../../ir/conditions.ts";
import { type Linear, plus, sumExpr } from "../../ir/linear.ts";
import { Mismatch, no } from "../../ir/mismatch.ts";
import { bounded, type Known, linearOf } from "../../ir/simplify.ts";
import type { Buffer, Expr, For, Load, Stmt, Store, Var } from "../../ir/types.ts";
import { isFor, mapExpr, mentions, operandsOf, within } from "../../ir/walk.ts";

/** What an index follows: the rows of the registers, their columns, or neither. */
export type Follows = "row" | "col" | "none";

/** Where an access begins, dimension by dimension, and what moves it on. */
export interface Access {
  readonly buffer: Buffer;
  readonly mins: readonly Expr[];
  readonly follows: readonly Follows[];
}

/** A nest that goes over `rows` × `columns` elements of registers. */
export interface RegisterNest {
  readonly rows: number;
  readonly columns: number;
  readonly store: Store;
  readonly target: Access;
  readonly loads: ReadonlyMap<Load, Access>;
  /** Loads that are 0 where their buffer has no such element. */
  readonly clipped: ReadonlySet<Load>;
}

export const inRegisters = ({ scope }: Buffer): boolean => scope === "wgmma.accumulator" || scope === "wgmma.matrix_a";
const inMemory = ({ scope }: Buffer): boolean => scope === "global" || scope === "shared";

/** The loops of a nest, the outermost first, and its store; undefined where it is no such nest. */
export function nestOf(s: Stmt): { readonly loops: readonly For[]; readonly store: Store } | undefined {
  const loops: For[] = [];
  let at = s;
  while (isFor(at) && !isThreadTag(at.loop) && !isBlockTag(at.loop)) {
    loops.push(at);
    at = at.body;
  }
  return at.kind === "store" ? { loops, store: at } : undefined;
}

/** Does a store or what it reads lie in registers of a warpgroup? */
export const touchesRegisters = ({ buffer, value }: Store): boolean =>
  inRegisters(buffer) || [...within(value)].some((e) => e.kind === "load" && inRegisters(e.buffer));

/** An index of registers: how many elements its loops run over, these loops as a sum, and where they begin. */
interface Axis {
  readonly extent: number;
  readonly loops: Linear;
  readonly variables: ReadonlySet<Var>;
}

class Recognition {
  readonly #known: Known;
  readonly #inner: ReadonlySet<Var>;
  readonly #extents: ReadonlyMap<Var, number>;

  constructor(loops: readonly For[], around: Known) {
    this.#known = new Map([...around, ...loops.map((l) => [l.variable, bounded(l.extent)] as const)]);
    this.#extents = new Map(
      loops.map((l) => [l.variable, intOf(l.extent) ?? no(`the extent of \`${l.variable.name}\` is not known`)]),
    );
    this.#inner = new Set(loops.map((l) => l.variable));
  }

  /** The sum of the terms of an index that loops of the nest move. */
  #moving(index: Expr): Linear {
    const terms = [...linearOf(index, this.#known).terms].filter(([, t]) => mentions(t.atom, this.#inner));
    return { terms: new Map(terms), constant: 0 };
  }

  /** An index whose loops run over neighbours, each element once. */
  #axis(index: Expr, of: Buffer): Axis {
    const loops = this.#moving(index);
    const odd = (): never => no(`its loops do not go over \`${of.name}\` element by element`);
    const terms = [...loops.terms.values()].toSorted((a, b) => a.factor - b.factor);
    const variables = new Set<Var>();
    let extent = 1;
    for (const { atom, factor } of terms) {
      if (atom.kind !== "var" || factor !== extent) return odd();
      variables.add(atom);
      extent *= this.#extents.get(atom) ?? odd();
    }
    return { extent, loops, variables };
  }

  #access(buffer: Buffer, indices: readonly Expr[], row: Axis, col: Axis): Access {
    const mins: Expr[] = [];
    const follows = indices.map((index): Follows => {
      const moving = this.#moving(index);
      const as = (axis: Axis): boolean => moving.terms.size > 0 && plus(moving, axis.loops, -1).terms.size === 0;
      mins.push(sumExpr(plus(linearOf(index, this.#known), moving, -1)));
      if (as(row)) return "row";
      if (as(col)) return "col";
      return moving.terms.size === 0 ? "none" : no(`an index of \`${buffer.name}\` follows neither its rows nor its columns`);
    });
    return { buffer, mins, follows };
  }

  #inPlace({ buffer, follows }: Access): void {
    const wanted = follows.map((_, d) => (d === follows.length - 2 ? "row" : d === follows.length - 1 ? "col" : "none"));
    if (String(follows) !== String(wanted)) no(`\`${buffer.name}\` is touched at another element`);
  }

  nest(given: Store): RegisterNest {
    const clipped = new Set<Load>();
    const value = mapExpr(given.value, (x) => {
      const found = clippedLoad(x, this.#known);
      // A part is clipped where its rows and columns end; which part it is has to be there.
      const ends = x.kind === "select" ? termsOf(x.condition) : [];
      if (!found || !ends.every((t) => mentions(t, this.#inner))) return x;
      clipped.add(found);
      return found;
    });
    const store = clipped.size > 0 ? { ...given, value } : given;
    const loads = [...new Set([...within(store.value)])].filter((e): e is Load => e.kind === "load");
    const all = [store, ...loads];
    const main = all.find((x) => inRegisters(x.buffer)) ?? no("nothing lies in registers");
    const [r, c] = main.indices.slice(-2);
    if (!r || !c) return no(`\`${main.buffer.name}\` has no rows and columns`);
    const [row, col] = [this.#axis(r, main.buffer), this.#axis(c, main.buffer)];
    const used = [...this.#extents].filter(([, n]) => n > 1);
    const other = used.find(([v]) => row.variables.has(v) === col.variables.has(v));
    if (other) no(`the loop \`${other[0].name}\` does not choose an element of \`${main.buffer.name}\``);
    if (row.extent % 64 !== 0) no(`it goes over ${row.extent} rows, and a warpgroup holds a multiple of 64`);
    if (col.extent % 8 !== 0) no(`it goes over ${col.extent} columns, and a warpgroup holds a multiple of 8`);
    const accesses = new Map(loads.map((l) => [l, this.#access(l.buffer, l.indices, row, col)]));
    const target = this.#access(store.buffer, store.indices, row, col);
    for (const access of [target, ...accesses.values()]) {
      const { buffer, mins } = access;
      if (inRegisters(buffer)) this.#inPlace(access);
      else if (!inMemory(buffer)) no(`\`${buffer.name}\` lies in ${buffer.scope}`);
      if (mins.some((e) => [...within(e)].some((x) => x.kind === "load")))
        no(`an index of \`${buffer.name}\` is read from memory`);
    }
    for (const load of clipped) {
      const moves = String(accesses.get(load)?.follows.filter((f) => f !== "none"));
      if (!["row,col", "col,row", "row", "col"].includes(moves) || accesses.get(load)?.follows.at(-1) === "none")
        no(`\`${load.buffer.name}\` is read up to where it ends, by single elements`);
    }
    this.#inPlace(target);
    this.#checkOwn(store, target, [...accesses.values()]);
    this.#checkValue(store.value);
    return { rows: row.extent, columns: col.extent, store, target, loads: accesses, clipped };
  }

  /** What is stored is read at the same element alone: all is read before anything is written. */
  #checkOwn(store: Store, target: Access, loads: readonly Access[]): void {
    const same = (a: Access): boolean =>
      a.mins.every((e, d) => {
        const { terms, constant } = plus(linearOf(e, this.#known), linearOf(target.mins[d] ?? int(0), this.#known), -1);
        return terms.size === 0 && constant === 0 && a.follows[d] === target.follows[d];
      });
    if (loads.some((a) => a.buffer === store.buffer && !same(a)))
      no(`\`${store.buffer.name}\` is read at another element than it is written`);
  }

  /** Outside of indices no variable is part of the value. */
  #checkValue(e: Expr): void {
    const parts = e.kind === "load" ? [] : operandsOf(e);
    if (e.kind === "var") no(`its value depends on \`${e.name}\``);
    for (const part of parts) this.#checkValue(part);
  }
}

/** The nest as one over registers, or why it is none. `around`: what is known of the variables outside of it. */
export function recognise(loops: readonly For[], store: Store, around: Known): RegisterNest | string {
  try {
    return new Recognition(loops, around).nest(store);
  } catch (error) {
    if (error instanceof Mismatch) return error.why;
    throw error;
  }
}
