/**
 * Which parts of which buffers a statement reads and writes, as boxes: exact where indices are sums of distinct variables,
 * else a box that surely holds all of it.
 */
import { add, int, intOf, sub } from "./build.ts";
import { type Linear, plus, sameExpr, sumExpr } from "./linear.ts";
import { type Bounds, bounded, intervalOf, type Known, linearOf, simplify } from "./simplify.ts";
import type { Axis, Block, Buffer, Expr, Intrinsic, Range, Region, Stmt, Var } from "./types.ts";
import { mentions, type Substitution, substituteIn, within } from "./walk.ts";

export interface Accesses {
  readonly reads: readonly Region[];
  readonly writes: readonly Region[];
}
/** For each argument of an intrinsic, whether it reads and writes that part. */
export type IntrinsicAccess = (call: Intrinsic) => readonly { readonly reads: boolean; readonly writes: boolean }[];

interface Walk {
  /** Bounds of everything in scope, those to be left out included, the outermost first. */
  readonly known: Known;
  /** Variables bound inside the statement: what they range over belongs to the region. */
  readonly inner: ReadonlySet<Var>;
  /** Axes of inner blocks as expressions of loops. */
  readonly values: Substitution;
}

/** Where an index may be while the inner variables run; `undefined` where that cannot be said. */
export function rangeOver(index: Expr, inner: ReadonlySet<Var>, known: Known): Range | undefined {
  const sum = linearOf(index, known);
  const single = simplify(sumExpr(sum), known);
  if (!mentions(single, inner)) return { min: single, extent: int(1) };
  const low = over(sum, inner, known, false);
  const high = over(sum, inner, known, true);
  if (!low || !high) return undefined;
  const extent = simplify(add(sub(sumExpr(high), sumExpr(low)), int(1)), known);
  const widest = intervalOf(linearOf(extent, known), known).max;
  if (intOf(extent) === undefined && !Number.isFinite(widest)) return { min: sumExpr(low), extent };
  return { min: sumExpr(low), extent: intOf(extent) === undefined && mentionsDivision(extent) ? int(widest) : extent };
}

const mentionsDivision = (e: Expr): boolean =>
  [...within(e)].some((x) => x.kind === "binary" && (x.op === "floorDiv" || x.op === "%" || x.op === "min" || x.op === "max"));

/** The least or greatest value of a sum while the inner variables run. Quotients grow with what they divide; a remainder may be anything below its divisor. */
function over(sum: Linear, inner: ReadonlySet<Var>, known: Known, greatest: boolean): Linear | undefined {
  const innerKnown = new Map([...known].filter(([v]) => inner.has(v)));
  let out: Linear = { terms: new Map(), constant: sum.constant };
  for (const [key, { atom, factor }] of sum.terms) {
    const up = factor > 0 === greatest;
    if (!mentions(atom, inner)) {
      out = plus(out, { terms: new Map([[key, { atom, factor }]]), constant: 0 });
      continue;
    }
    const end = atomEnd(atom, inner, known, innerKnown, up);
    if (!end) return undefined;
    out = plus(out, end, factor);
  }
  return linearOf(sumExpr(out), known);
}

function atomEnd(atom: Expr, inner: ReadonlySet<Var>, known: Known, innerKnown: Known, up: boolean): Linear | undefined {
  if (atom.kind === "var") {
    const bounds = innerKnown.get(atom);
    if (!bounds) return undefined;
    const end = linearOf(up ? bounds.max : bounds.min, known);
    return over(end, inner, known, up);
  }
  if (atom.kind !== "binary") return undefined;
  const by = intOf(atom.b);
  if (atom.op === "floorDiv" && by !== undefined && by > 0) {
    const end = over(linearOf(atom.a, known), inner, known, up);
    return end && linearOf({ ...atom, a: sumExpr(end) }, known);
  }
  if (atom.op === "%" && by !== undefined && by > 0) {
    const { min, max } = intervalOf(linearOf(atom, known), known);
    return { terms: new Map(), constant: up ? max : min };
  }
  if (atom.op === "min" || atom.op === "max") {
    const [a, b] = [over(linearOf(atom.a, known), inner, known, up), over(linearOf(atom.b, known), inner, known, up)];
    return a && b && linearOf({ ...atom, a: sumExpr(a), b: sumExpr(b) }, known);
  }
  const { min, max } = intervalOf(linearOf(atom, known), known);
  const end = up ? max : min;
  return Number.isFinite(end) ? { terms: new Map(), constant: end } : undefined;
}

const whole = (b: Buffer): readonly Range[] => b.shape.map((extent) => ({ min: int(0), extent }));

/** The least box around two: of dimensions whose distance is not known, the whole. */
export function union(a: Region, b: Region, known: Known): Region {
  const all = whole(a.buffer);
  const ranges = a.ranges.map((r, d): Range => {
    const other = b.ranges[d] ?? r;
    const distance = intOf(simplify(sub(other.min, r.min), known));
    const ends = intOf(simplify(sub(add(other.min, other.extent), add(r.min, r.extent)), known));
    if (distance === undefined || ends === undefined) return all[d] ?? r;
    const min = distance < 0 ? other.min : r.min;
    const end = ends > 0 ? add(other.min, other.extent) : add(r.min, r.extent);
    return { min, extent: simplify(sub(end, min), known) };
  });
  return { buffer: a.buffer, ranges };
}

function collect(into: Map<Buffer, Region>, region: Region, known: Known): void {
  const before = into.get(region.buffer);
  into.set(region.buffer, before ? union(before, region, known) : region);
}

function regionAt(buffer: Buffer, mins: readonly Expr[], extents: readonly Expr[], walk: Walk): Region {
  const all = whole(buffer);
  const ranges = mins.map((index, d): Range => {
    const extent = extents[d] ?? int(1);
    const from = rangeOver(substituteIn(index, walk.values), walk.inner, walk.known);
    if (!from) return all[d] ?? { min: int(0), extent };
    return { min: from.min, extent: simplify(add(from.extent, sub(substituteIn(extent, walk.values), int(1))), walk.known) };
  });
  return { buffer, ranges };
}

interface Found {
  readonly reads: Map<Buffer, Region>;
  readonly writes: Map<Buffer, Region>;
}

function fromExpr(e: Expr, walk: Walk, found: Found): void {
  for (const x of within(e)) if (x.kind === "load") collect(found.reads, regionAt(x.buffer, x.indices, [], walk), walk.known);
}

/** An axis takes what its value says; inside, it is known to be in its extent. */
const inBlock = (s: Block, walk: Walk): Walk => ({
  ...walk,
  values: new Map([
    ...walk.values,
    ...s.axes.map((a, i): [Var, Expr] => [a.variable, substituteIn(s.values[i] ?? int(0), walk.values)]),
  ]),
});

function go(s: Stmt, walk: Walk, found: Found, access: IntrinsicAccess): void {
  switch (s.kind) {
    case "for":
      go(
        s.body,
        {
          ...walk,
          known: new Map([...walk.known, [s.variable, bounded(substituteIn(s.extent, walk.values))]]),
          inner: new Set([...walk.inner, s.variable]),
        },
        found,
        access,
      );
      return;
    case "block": {
      for (const e of [...s.values, ...(s.where ? [s.where] : [])]) fromExpr(e, walk, found);
      const inside = inBlock(s, walk);
      if (s.init) go(s.init, inside, found, access);
      go(s.body, inside, found, access);
      return;
    }
    case "store":
      for (const e of [...s.indices, s.value]) fromExpr(e, walk, found);
      collect(found.writes, regionAt(s.buffer, s.indices, [], walk), walk.known);
      return;
    case "if":
      fromExpr(s.condition, walk, found);
      go(s.yes, walk, found, access);
      if (s.no) go(s.no, walk, found, access);
      return;
    case "seq":
      for (const one of s.body) go(one, walk, found, access);
      return;
    case "intrinsic": {
      const how = access(s);
      s.args.forEach((r, i) => {
        const region = regionAt(
          r.buffer,
          r.ranges.map((x) => x.min),
          r.ranges.map((x) => x.extent),
          walk,
        );
        if (how[i]?.reads ?? true) collect(found.reads, region, walk.known);
        if (how[i]?.writes ?? true) collect(found.writes, region, walk.known);
      });
      return;
    }
    case "effect":
      for (const e of s.args) fromExpr(e, walk, found);
  }
}

const everyArgument: IntrinsicAccess = (call) => call.args.map(() => ({ reads: true, writes: true }));

/**
 * What a statement touches, as boxes that name only variables bound outside of it. `known`: the bounds of those. `over`: variables of
 * `known` that count as bound inside, because what they run over is touched by one and the same group of threads.
 */
export function accessesOf(
  s: Stmt,
  known: Known,
  access: IntrinsicAccess = everyArgument,
  over: ReadonlySet<Var> = new Set(),
): Accesses {
  const found: Found = { reads: new Map(), writes: new Map() };
  go(s, { known, inner: over, values: new Map() }, found, access);
  return { reads: [...found.reads.values()], writes: [...found.writes.values()] };
}

const axisBounds = (a: Axis): [Var, Bounds] => [a.variable, bounded(a.extent)];
/** The bounds of a block's axes. */
export const axesKnown = (b: Block, known: Known = new Map()): Known => new Map([...known, ...b.axes.map(axisBounds)]);

/** The same elements of one buffer, as the expressions say it. */
export const sameRegion = (a: Region, b: Region): boolean =>
  a.buffer === b.buffer &&
  a.ranges.length === b.ranges.length &&
  a.ranges.every((r, i) => {
    const other = b.ranges[i];
    return other !== undefined && sameExpr(r.min, other.min) && sameExpr(r.extent, other.extent);
  });
