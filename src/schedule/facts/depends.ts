/** What of a buffer a statement surely writes, and whether what it reads was written before in the same iteration. */

import { intrinsicOf } from "../intrinsics/registry.ts";
import { add, binary, int, intOf } from "../ir/build.ts";
import { termsOf } from "../ir/conditions.ts";
import { rangeOver } from "../ir/regions.ts";
import { bounded, type Known, linearOf, provably } from "../ir/simplify.ts";
import type { Block, Buffer, Expr, Intrinsic, Program, Region, Stmt, Var } from "../ir/types.ts";
import { expressions, mentions, statements, substitute, within } from "../ir/walk.ts";
import { impliedByExtents } from "./points.ts";
import { reads, touchedBy, writes } from "./touches.ts";

export const touches = (s: Stmt, b: Buffer): boolean => reads(s, b) || writes(s, b);

/** What a statement reads of one buffer, in variables bound outside of it. */
export function partRead(s: Stmt, b: Buffer, known: Known, over: ReadonlySet<Var> = new Set()): Region | undefined {
  return touchedBy(s, known, over).reads.find((r) => r.buffer === b);
}

/** Whether one part holds all of another one. */
export function holds(outer: Region, inner: Region, known: Known): boolean {
  return outer.ranges.every((r, d) => {
    const want = inner.ranges[d];
    const extent = outer.buffer.shape[d];
    if (!want || !extent) return false;
    const begins = provably(binary("<=", r.min, want.min), known) || provably(binary("<=", r.min, int(0)), known);
    const end = add(r.min, r.extent);
    const ends = provably(binary(">=", end, add(want.min, want.extent)), known) || provably(binary(">=", end, extent), known);
    return begins && ends;
  });
}

interface Walk {
  readonly known: Known;
  readonly inner: ReadonlySet<Var>;
}

/** Whether an index, and as many neighbours as are `each`, takes every value between its least and greatest while the inner variables run. */
function contiguous(index: Expr, { known, inner }: Walk, each = 1): boolean {
  const terms = [...linearOf(index, known).terms.values()].filter((t) => mentions(t.atom, inner));
  let reach = each;
  for (const { atom, factor } of terms.toSorted((a, b) => Math.abs(a.factor) - Math.abs(b.factor))) {
    if (atom.kind !== "var" || Math.abs(factor) > reach) return false;
    const extent = known.get(atom);
    const count = extent && intOf(extent.max);
    if (count === undefined) return terms.length === 1 && Math.abs(factor) === 1;
    reach += Math.abs(factor) * count;
  }
  return true;
}

/** Parts of a buffer that a statement writes whatever happens, in variables bound outside of it. Axes of blocks are their values here. */
export function surelyWritten(s: Stmt, b: Buffer, known: Known, over: ReadonlySet<Var> = new Set()): readonly Region[] {
  return [...writtenIn(s, b, { known, inner: over })];
}

function* writtenIn(s: Stmt, b: Buffer, walk: Walk): Generator<Region> {
  switch (s.kind) {
    case "for":
      yield* writtenIn(s.body, b, {
        known: new Map([...walk.known, [s.variable, bounded(s.extent)]]),
        inner: new Set([...walk.inner, s.variable]),
      });
      return;
    case "seq":
      for (const x of s.body) yield* writtenIn(x, b, walk);
      return;
    case "block":
      if (runsInItsAxes(s, b, walk.known)) yield* writtenIn(opened(s), b, walk);
      return;
    case "store": {
      if (s.buffer !== b) return;
      const used = s.indices.map((i) => [...walk.inner].filter((v) => mentions(i, new Set([v]))));
      const apart = used.every((vars, d) => !used.some((other, e) => e !== d && other.some((v) => vars.includes(v))));
      if (!apart || !s.indices.every((i) => contiguous(i, walk))) return;
      const ranges = s.indices.map((i) => rangeOver(i, walk.inner, walk.known));
      if (ranges.every((r) => r !== undefined)) yield { buffer: b, ranges };
      return;
    }
    case "intrinsic": {
      for (const [n, region] of s.args.entries()) {
        if (region.buffer !== b || !filledBy(s)[n]) continue;
        const tiled = region.ranges.map((r) => {
          const from = rangeOver(r.min, walk.inner, walk.known);
          const step = intOf(r.extent);
          return from && step !== undefined && contiguous(r.min, walk, step)
            ? { min: from.min, extent: add(from.extent, int(step - 1)) }
            : undefined;
        });
        if (tiled.every((r) => r !== undefined)) yield { buffer: b, ranges: tiled };
      }
    }
  }
}

const filled = new WeakMap<Program, readonly boolean[]>();

/** Which of its arguments an intrinsic surely writes in whole. */
function filledBy(call: Intrinsic): readonly boolean[] {
  const { description } = intrinsicOf(call.name, call.span ? [call.span] : undefined);
  const known = filled.get(description);
  if (known) return known;
  const made = description.params.map((buffer) => {
    const whole: Region = { buffer, ranges: buffer.shape.map((extent) => ({ min: int(0), extent })) };
    return surelyWritten(description.body, buffer, new Map()).some((w) => holds(w, whole, new Map()));
  });
  filled.set(description, made);
  return made;
}

/** Whether the condition of a block takes nothing away but what lies outside of the buffer it writes. */
function runsInItsAxes(s: Block, b: Buffer, known: Known): boolean {
  if (!s.where) return true;
  const inside = s.axes.map((a, i) => {
    const at = storeIndex(s.body, b)?.indexOf(a.variable) ?? -1;
    return { value: s.values[i] ?? int(0), extent: a.extent, fits: at >= 0 && fits(b.shape[at], a.extent, known) };
  });
  const bounds = inside.filter((x) => x.fits);
  return termsOf(s.where).every((c) =>
    impliedByExtents(
      c,
      bounds.map((x) => x.value),
      bounds.map((x) => x.extent),
      known,
    ),
  );
}
const fits = (extent: Expr | undefined, axis: Expr, known: Known): boolean =>
  extent !== undefined && provably(binary(">=", axis, extent), known);

function storeIndex(s: Stmt, b: Buffer): readonly Expr[] | undefined {
  return s.kind === "store" && s.buffer === b ? s.indices : undefined;
}

/** A block's body with the values of its axes in their place. */
const opened = (s: Block): Stmt => substitute(s.body, new Map(s.axes.map((a, i) => [a.variable, s.values[i] ?? int(0)])));

/** Whether all that a statement reads of a buffer was written before, by itself or by what `before` says, in one iteration of what is around. */
export const readsOnlyFresh = (s: Stmt, b: Buffer, known: Known, over: ReadonlySet<Var> = new Set()): boolean =>
  fresh(s, b, { known, over, outside: new Set([...known.keys()].filter((v) => !over.has(v))) }, []);

interface Iteration {
  readonly known: Known;
  readonly over: ReadonlySet<Var>;
  /** Variables that stand still during the iteration. */
  readonly outside: ReadonlySet<Var>;
}

function fresh(s: Stmt, b: Buffer, at: Iteration, before: readonly Region[]): boolean {
  if (!reads(s, b)) return true;
  const read = partRead(s, b, at.known, at.over);
  if (read && before.some((w) => holds(w, read, at.known))) return true;
  switch (s.kind) {
    case "for":
      return fresh(s.body, b, { ...at, known: new Map([...at.known, [s.variable, bounded(s.extent)]]) }, before);
    case "seq": {
      let written = before;
      return s.body.every((x) => {
        const ok = fresh(x, b, at, written);
        written = [...written, ...surelyWritten(x, b, at.known, at.over)];
        return ok;
      });
    }
    case "if":
      return (
        ![...within(s.condition)].some((e) => e.kind === "load" && e.buffer === b) &&
        [s.yes, s.no].every((x) => !x || fresh(x, b, at, before))
      );
    case "block":
      return s.init ? reducesFresh(s, b, at) : fresh(opened(s), b, at, before);
    default:
      return false;
  }
}

/** A reduction that sets what it then adds to, and whose reduction axes begin at 0 in this iteration: they depend on inner loops alone. */
function reducesFresh(s: Block, b: Buffer, at: Iteration): boolean {
  const begins = s.axes.every((a, i) => {
    const value = s.values[i] ?? int(0);
    const sum = linearOf(value, at.known);
    return (
      a.type === "spatial" ||
      (!mentions(value, at.outside) && sum.constant === 0 && [...sum.terms.values()].every((t) => t.factor > 0))
    );
  });
  const [extents, values] = [s.axes.map((a) => a.extent), s.values];
  if (!begins || !s.init || !termsOf(s.where).every((c) => impliedByExtents(c, values, extents, at.known))) return false;
  const axes = new Set(s.axes.map((a) => a.variable));
  const inBlock = new Map([...at.known, ...s.axes.map((a) => [a.variable, bounded(a.extent)] as const)]);
  const read = partRead(s.body, b, inBlock);
  return read !== undefined && axes.size > 0 && surelyWritten(s.init, b, inBlock).some((w) => holds(w, read, inBlock));
}

/** The buffers that a statement reads or writes. */
export function touchedBuffers(s: Stmt): readonly Buffer[] {
  const all = new Set<Buffer>();
  for (const e of expressions(s)) if (e.kind === "load") all.add(e.buffer);
  for (const x of statements(s)) {
    if (x.kind === "store") all.add(x.buffer);
    if (x.kind === "intrinsic") for (const r of x.args) all.add(r.buffer);
  }
  return [...all];
}
