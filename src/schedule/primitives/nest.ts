/** Loops that run a block over a part of its axes, and which part of a buffer a place in the program needs. */
import { add, binary, both, int, intOf, loop, sub, variable } from "../ir/build.ts";
import { sumExpr } from "../ir/linear.ts";
import { type Known, linearOf, provably, simplify } from "../ir/simplify.ts";
import type { Block, Buffer, Expr, LoopKind, Range, Region, Scope, Stmt, Var } from "../ir/types.ts";
import { isFor } from "../ir/walk.ts";

/** Where an axis begins and how many of its points run; undefined for all of them. */
export type AxisRanges = ReadonlyMap<Var, Range>;

/** The block in loops `ax0`, `ax1`, … over those points of its axes, guarded where they may lie outside. */
export function nestOver(block: Block, ranges: AxisRanges, known: Known): Stmt {
  const made = block.axes.map((axis, i) => {
    const range = ranges.get(axis.variable) ?? { min: int(0), extent: axis.extent };
    const v = intOf(range.extent) === 1 ? undefined : variable(`ax${i}`);
    const value = v ? simplify(add(range.min, v), known) : range.min;
    const bounds: [Var, { min: Expr; max: Expr }][] = v
      ? [[v, { min: int(0), max: simplify(sub(range.extent, int(1)), known) }]]
      : [];
    const inside = new Map([...known, ...bounds]);
    const tests = [binary(">=", value, int(0)), binary("<", value, axis.extent)].filter((t) => !provably(t, inside));
    return { axis, v, value, extent: range.extent, where: tests.reduce<Expr | undefined>((all, t) => both(all, t), undefined) };
  });
  const where = made.reduce<Expr | undefined>((all, m) => both(all, m.where), undefined);
  const inner: Block = { ...block, values: made.map((m) => m.value), where };
  return made.reduceRight<Stmt>((body, m) => (m.v ? loop(m.v, m.extent, body, { span: block.span }) : body), inner);
}

/** Variables of loops around a place that all threads of the buffer's scope run: each of them sees what the others need. */
export function sharedLoops(around: readonly Stmt[], scope: Scope): ReadonlySet<Var> {
  const relaxed = (kind: LoopKind): boolean => {
    if (scope === "global") return kind.startsWith("blockIdx") || kind.startsWith("threadIdx");
    if (scope === "shared") return kind.startsWith("threadIdx");
    return scope !== "local" && kind === "threadIdx.x";
  };
  return new Set(
    around
      .filter(isFor)
      .filter((l) => relaxed(l.loop))
      .map((l) => l.variable),
  );
}

/** How an axis follows from a dimension of a buffer: index = factor × axis + offset, over `extent` neighbours. */
interface Follows {
  readonly axis: Var;
  readonly factor: number;
  readonly offset: Expr;
}

function followed(range: Range, block: Block, known: Known): Follows | undefined {
  const sum = linearOf(range.min, known);
  const axes = block.axes.map((a) => a.variable);
  const terms = [...sum.terms.values()];
  const on = terms.filter((t) => axes.some((v) => t.atom === v));
  const [term] = on;
  if (!term || on.length !== 1 || term.atom.kind !== "var" || term.factor < 1) return undefined;
  const rest = { terms: new Map([...sum.terms].filter(([, t]) => t !== term)), constant: sum.constant };
  return { axis: term.atom, factor: term.factor, offset: sumExpr(rest) };
}

/**
 * The points of a block's axes at which it touches a part of a buffer. `own` is what one instance touches of it, in the block's axes.
 * Axes that the buffer does not depend on are left whole.
 */
export function axesFor(block: Block, own: Region, wanted: Region, known: Known): AxisRanges {
  const ranges = new Map<Var, Range>();
  own.ranges.forEach((r, d) => {
    const want = wanted.ranges[d];
    const f = followed(r, block, known);
    if (!want || !f || ranges.has(f.axis)) return;
    const from = simplify(sub(want.min, f.offset), known);
    const extent = intOf(r.extent);
    const min = quotient(from, f.factor, known);
    const count = intOf(want.extent);
    if (f.factor === 1 && extent === 1) ranges.set(f.axis, { min: from, extent: want.extent });
    else if (min && extent !== undefined && extent <= f.factor && count !== undefined)
      ranges.set(f.axis, { min, extent: int(Math.ceil(count / f.factor)) });
  });
  return ranges;
}

/** e / by where that leaves no rest. */
function quotient(e: Expr, by: number, known: Known): Expr | undefined {
  const rest = simplify(binary("%", e, int(by)), known);
  return intOf(rest) === 0 ? simplify(binary("floorDiv", e, int(by)), known) : undefined;
}

/** A part of a buffer clipped to it where that is known without asking. */
export function clipped(region: Region, known: Known): Region {
  const ranges = region.ranges.map((r, d): Range => {
    const all = region.buffer.shape[d];
    if (!all) return r;
    const covers = provably(binary("<=", r.min, int(0)), known) && provably(binary(">=", add(r.min, r.extent), all), known);
    return covers ? { min: int(0), extent: all } : r;
  });
  return { buffer: region.buffer, ranges };
}

/** The name of a buffer's copy in another scope. */
export const copyName = (b: Buffer, scope: Scope): string => `${b.name}_${scope.replaceAll(".", "_")}`;
