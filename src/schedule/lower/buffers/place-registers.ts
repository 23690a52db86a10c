/**
 * Requires: compacted buffers. Ensures: what lives in registers of a warp or warpgroup is touched by intrinsics alone. A buffer of such a
 * scope that the program also touches element by element, as between two steps of a schedule, lies in shared memory, one for each group
 * of threads; intrinsics that take it are their descriptions.
 */

import { accessesIn } from "../../facts/accesses.ts";
import { extentOf, type Launch, threadTags } from "../../facts/launch.ts";
import { groupsOf } from "../../facts/participants.ts";
import { flattenBlocks } from "../../flat/flatten-blocks.ts";
import { lowerInit } from "../../flat/lower-init.ts";
import { intrinsicOf, participantThreads } from "../../intrinsics/registry.ts";
import { int, seq, variable, zero } from "../../ir/build.ts";
import type { Block, Buffer, Expr, For, Intrinsic, Program, Stmt, Store, ThreadTag } from "../../ir/types.ts";
import { mapExpr, mapStmt, statements, substitute } from "../../ir/walk.ts";

const ofGroup = ({ scope }: Buffer): boolean => scope !== "shared" && scope !== "global" && scope !== "local";

/** Buffers of registers that stores and loads touch, and those that share an intrinsic with one of them. */
function touchedByElements(program: Program): ReadonlySet<Buffer> {
  const found = new Set<Buffer>();
  const all = [...accessesIn(program.body)];
  for (const a of all) if (a.by.kind !== "intrinsic" && ofGroup(a.buffer)) found.add(a.buffer);
  for (;;) {
    const before = found.size;
    for (const s of statements(program.body)) {
      if (s.kind !== "intrinsic" || !s.args.some((r) => found.has(r.buffer))) continue;
      for (const r of s.args) if (ofGroup(r.buffer)) found.add(r.buffer);
    }
    if (found.size === before) return found;
  }
}

/** The description of an intrinsic on the parts that it is given. */
function described(s: Intrinsic): Stmt {
  const { description } = intrinsicOf(s.name, s.span ? [s.span] : undefined);
  const { body } = flattenBlocks(lowerInit(description));
  const parts = new Map(description.params.map((b, n) => [b, s.args[n]]));
  const at = (buffer: Buffer, indices: readonly Expr[]): readonly Expr[] => {
    const ranges = parts.get(buffer)?.ranges ?? [];
    const outer = ranges.length - indices.length;
    return ranges.map((r, d) => (d < outer ? r.min : plus(r.min, indices[d - outer] ?? zero)));
  };
  const expr = (e: Expr): Expr =>
    mapExpr(e, (x) => {
      const part = x.kind === "load" ? parts.get(x.buffer) : undefined;
      return x.kind === "load" && part ? { ...x, buffer: part.buffer, indices: at(x.buffer, x.indices) } : x;
    });
  const stmt = (x: Stmt): Stmt => {
    const part = x.kind === "store" ? parts.get(x.buffer) : undefined;
    return x.kind === "store" && part ? { ...x, buffer: part.buffer, indices: at(x.buffer, x.indices), span: s.span } : x;
  };
  return renamed(mapStmt(body, { expr, stmt }));
}
const plus = (a: Expr, b: Expr): Expr => ({ kind: "binary", op: "+", dtype: "i32", a, b });

/** The same with loops of its own: a description is used many times. */
const renamed = (s: Stmt): Stmt =>
  mapStmt(s, {
    stmt: (x) => {
      if (x.kind !== "for") return x;
      const own = variable(x.variable.name);
      return { ...x, variable: own, body: substitute(x.body, new Map([[x.variable, own]])) };
    },
  });

/** Indices that say which group of threads a thread is in. */
function groupTags(buffer: Buffer, launch: Launch): readonly ThreadTag[] {
  const threads = participantThreads[buffer.scope.startsWith("wgmma") ? "warpgroup" : "warp"];
  return (groupsOf(threads, launch)?.outer ?? threadTags).filter((tag) => extentOf(launch, tag) > 1);
}

interface Shared {
  readonly to: Buffer;
  readonly tags: readonly ThreadTag[];
}

/** Accesses of one group's part. */
class Grouped {
  readonly #shared: ReadonlyMap<Buffer, Shared>;
  constructor(shared: ReadonlyMap<Buffer, Shared>) {
    this.#shared = shared;
  }

  #at(tags: readonly ThreadTag[], loops: readonly For[], indices: readonly Expr[]): readonly Expr[] {
    return [...tags.map((tag) => loops.findLast((l) => l.loop === tag)?.variable ?? zero), ...indices];
  }
  #expr(e: Expr, loops: readonly For[]): Expr {
    return mapExpr(e, (x) => {
      const shared = x.kind === "load" ? this.#shared.get(x.buffer) : undefined;
      return x.kind === "load" && shared ? { ...x, buffer: shared.to, indices: this.#at(shared.tags, loops, x.indices) } : x;
    });
  }

  run(s: Stmt, loops: readonly For[]): Stmt {
    const expr = (e: Expr): Expr => this.#expr(e, loops);
    switch (s.kind) {
      case "seq":
        return seq(...s.body.map((x) => this.run(x, loops)));
      case "for":
        return { ...s, extent: expr(s.extent), body: this.run(s.body, [...loops, s]) };
      case "block":
        return { ...s, body: this.run(s.body, loops) } satisfies Block;
      case "if":
        return { ...s, condition: expr(s.condition), yes: this.run(s.yes, loops), no: s.no && this.run(s.no, loops) };
      case "store": {
        const shared = this.#shared.get(s.buffer);
        const store: Store = { ...s, indices: s.indices.map(expr), value: expr(s.value) };
        return shared ? { ...store, buffer: shared.to, indices: this.#at(shared.tags, loops, store.indices) } : store;
      }
      default:
        return mapStmt(s, { expr });
    }
  }
}

/** Registers that are touched element by element become shared memory. */
export function placeRegisters(program: Program, launch: Launch): Program {
  const touched = touchedByElements(program);
  if (touched.size === 0) return program;
  const shared = new Map<Buffer, Shared>();
  for (const buffer of touched) {
    const tags = groupTags(buffer, launch);
    const shape = [...tags.map((tag) => int(extentOf(launch, tag))), ...buffer.shape];
    shared.set(buffer, { tags, to: { ...buffer, shape, scope: "shared" } });
  }
  const body = mapStmt(program.body, {
    stmt: (s) => (s.kind === "intrinsic" && s.args.some((r) => touched.has(r.buffer)) ? described(s) : s),
  });
  const buffers = program.buffers.map((b) => shared.get(b)?.to ?? b);
  return { ...program, buffers, body: new Grouped(shared).run(body, []) };
}
