/** Every access of a lowered program, one by one, with the loops and conditions around it. */

import { intrinsicAccess } from "../intrinsics/access.ts";
import { intrinsicOf } from "../intrinsics/registry.ts";
import { int } from "../ir/build.ts";
import type { Bounds } from "../ir/simplify.ts";
import { bounded, type Known } from "../ir/simplify.ts";
import type { Buffer, Expr, For, If, Intrinsic, Stmt, Store, Var } from "../ir/types.ts";
import { expressionsOf, within } from "../ir/walk.ts";
import { isAsync } from "./marks.ts";

/** One load, one store, or what an intrinsic takes of one buffer. */
export interface Access {
  readonly buffer: Buffer;
  readonly reads: boolean;
  readonly writes: boolean;
  /** Where it begins, and how many elements of each dimension it has. */
  readonly mins: readonly Expr[];
  readonly extents: readonly Expr[];
  /** The statement that it stands in: a store, an intrinsic, a condition or a loop. */
  readonly by: Stmt;
  readonly loops: readonly For[];
  readonly conditions: readonly If[];
  /** It is written by an asynchronous copy. */
  readonly async: boolean;
}

/** Shared buffers that intrinsics read or write through the asynchronous proxy. */
export function touchedByProxy(all: readonly Access[]): ReadonlySet<Buffer> {
  const found = new Set<Buffer>();
  for (const { by, buffer } of all)
    if (by.kind === "intrinsic" && buffer.scope === "shared" && intrinsicOf(by.name).proxy === "async") found.add(buffer);
  return found;
}

/** Whether threads read or write there by themselves: not through the asynchronous proxy. */
export const isByThreads = ({ by }: Access): boolean => by.kind !== "intrinsic" || intrinsicOf(by.name).proxy !== "async";

interface Around {
  readonly loops: readonly For[];
  readonly conditions: readonly If[];
  readonly async: boolean;
}

const ones = (indices: readonly Expr[]): readonly Expr[] => indices.map(() => int(1));

function* loadsIn(e: Expr, by: Stmt, around: Around): Generator<Access> {
  for (const x of within(e))
    if (x.kind === "load")
      yield {
        ...around,
        async: false,
        buffer: x.buffer,
        reads: true,
        writes: false,
        mins: x.indices,
        extents: ones(x.indices),
        by,
      };
}

function* ofStore(s: Store, around: Around): Generator<Access> {
  for (const e of expressionsOf(s)) yield* loadsIn(e, s, around);
  yield { ...around, buffer: s.buffer, reads: false, writes: true, mins: s.indices, extents: ones(s.indices), by: s };
}

function* ofIntrinsic(s: Intrinsic, around: Around): Generator<Access> {
  const how = intrinsicAccess(s);
  for (const [n, { buffer, ranges }] of s.args.entries()) {
    const mins = ranges.map((r) => r.min);
    const extents = ranges.map((r) => r.extent);
    yield { ...around, async: false, buffer, reads: how[n]?.reads ?? true, writes: how[n]?.writes ?? true, mins, extents, by: s };
  }
}

/** In the order in which they run. */
export function* accessesIn(s: Stmt, around: Around = { loops: [], conditions: [], async: false }): Generator<Access> {
  switch (s.kind) {
    case "seq":
      for (const each of s.body) yield* accessesIn(each, around);
      return;
    case "for":
      yield* loadsIn(s.extent, s, around);
      yield* accessesIn(s.body, { ...around, loops: [...around.loops, s] });
      return;
    case "block":
      yield* accessesIn(s.body, { ...around, async: around.async || isAsync(s.annotations) });
      return;
    case "if": {
      yield* loadsIn(s.condition, s, around);
      const inside = { ...around, conditions: [...around.conditions, s] };
      yield* accessesIn(s.yes, inside);
      if (s.no) yield* accessesIn(s.no, inside);
      return;
    }
    case "store":
      yield* ofStore(s, around);
      return;
    case "intrinsic":
      yield* ofIntrinsic(s, around);
      return;
    case "effect":
      for (const e of s.args) yield* loadsIn(e, s, around);
  }
}

/** What is known of the variables of loops. */
export const knownOf = (loops: readonly For[]): Known =>
  new Map(loops.map((l): [Var, Bounds] => [l.variable, bounded(l.extent)]));
