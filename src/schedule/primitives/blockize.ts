/** A nest of loops around a block as one block: what an intrinsic takes the place of. */

import { add, int, intOf, loop, mul, variable } from "../ir/build.ts";
import { allOf, termsOf } from "../ir/conditions.ts";
import { freshBlockName } from "../ir/fresh-names.ts";
import { knownIn } from "../ir/known.ts";
import { type Linear, sumExpr } from "../ir/linear.ts";
import { intervalOf, type Known, linearOf, simplify } from "../ir/simplify.ts";
import type { Axis, Block, Expr, For, Program, Stmt, Var } from "../ir/types.ts";
import { isFor, mentions, substitute, substituteIn, within } from "../ir/walk.ts";
import type { Blocks } from "./cache.ts";
import { loopAt, refuse, type Step, withStmt } from "./find.ts";

/** One axis of the old block, taken apart: outside × extent + inside. */
interface Part {
  readonly axis: Axis;
  readonly outer: Axis;
  readonly outerValue: Expr;
  /** Undefined where the nest runs one point of the axis. */
  readonly inner: { readonly axis: Axis; readonly value: Expr } | undefined;
}

/** Makes one block of a loop and all that stands in it, which is a nest around one block. */
export function blockize(p: Program, at: Var, step: Step): Blocks {
  const { loop: top, around } = loopAt(p, at, step);
  const loops: For[] = [];
  let s: Stmt = top;
  for (; isFor(s); s = s.body) loops.push(s);
  if (s.kind !== "block")
    return refuse(step, "W5523", { step: step.name, why: `'${at.name}' holds more than one block in its loops` }, top.span);
  const block = s;
  const bound = loops.find((l) => l.loop.startsWith("blockIdx") || l.loop.startsWith("threadIdx"));
  if (bound) refuse(step, "W5527", { step: step.name, why: `'${bound.variable.name}' is bound to ${bound.loop}` }, bound.span);
  const known = knownIn(p, [...around, ...loops]);
  const inside = new Set(loops.map((l) => l.variable));
  const parts = block.axes.map((a, i) => partOf(a, block.values[i] ?? int(0), inside, known, block, step));
  const { outer, inner } = conditionsOf(block, inside, known, step);
  const whole = wholeBlock(p, block, loops, parts, inner);
  return { program: withStmt(p, top, { ...whole, where: allOf(outer) }), blocks: [whole.name] };
}

/** What has to hold for all points of the nest together, and what its axes say of each of them by itself. */
function conditionsOf(
  block: Block,
  inside: ReadonlySet<Var>,
  known: Known,
  step: Step,
): { readonly outer: readonly Expr[]; readonly inner: readonly Expr[] } {
  const values = new Map<Var, Expr>(block.axes.map((a, i) => [a.variable, block.values[i] ?? int(0)]));
  const own = new Set(values.keys());
  const terms = termsOf(block.where).map((t) => ({ t, open: ofWholeNest(substituteIn(t, values), inside, known) }));
  const [inner, outer] = [true, false].map((at) => terms.filter(({ open }) => mentions(open, inside) === at));
  // What stands in the new block names its axes alone.
  const byLoops = inner?.find(({ t }) => [...within(t)].some((e) => e.kind === "var" && !own.has(e)));
  if (byLoops || (inner && inner.length > 0 && block.init))
    refuse(
      step,
      "W5525",
      { step: step.name, why: `'${block.name}' runs only at some points of the nest; pad its buffers first` },
      block.span,
    );
  return { outer: (outer ?? []).map(({ open }) => open), inner: (inner ?? []).map(({ t }) => t) };
}

/**
 * A condition that is the same at all points of the nest, asked of the first of them: whether an index is below an end, where both the nest's part of the
 * index begins and the end are multiples of as many as the part has.
 */
function ofWholeNest(t: Expr, inside: ReadonlySet<Var>, known: Known): Expr {
  const end = t.kind === "binary" && t.op === "<" ? intOf(t.b) : undefined;
  if (t.kind !== "binary" || end === undefined) return t;
  const [inner, outer] = splitTerms(linearOf(t.a, known), inside);
  const { min, max } = intervalOf(inner, known);
  const extent = max + 1;
  const isMultiple = (n: number): boolean => n % extent === 0;
  const whole =
    min === 0 && isMultiple(end) && isMultiple(outer.constant) && [...outer.terms.values()].every((x) => isMultiple(x.factor));
  return inner.terms.size > 0 && Number.isSafeInteger(extent) && whole ? { ...t, a: sumExpr(outer) } : t;
}

/** The terms of a sum that mention variables of the nest, and the others with the constant. */
const splitTerms = (sum: Linear, inside: ReadonlySet<Var>): readonly [inner: Linear, outer: Linear] => {
  const of = (pick: boolean): Linear => ({
    terms: new Map([...sum.terms].filter(([, t]) => mentions(t.atom, inside) === pick)),
    constant: pick ? 0 : sum.constant,
  });
  return [of(true), of(false)];
};

function partOf(axis: Axis, value: Expr, inside: ReadonlySet<Var>, known: Known, block: Block, step: Step): Part {
  const sum = linearOf(value, known);
  const [inner, outer] = splitTerms(sum, inside);
  const name = axis.variable.name;
  const bad = (why: string): never => refuse(step, "W5525", { step: step.name, why: `${why} of '${block.name}'` }, block.span);
  if (inner.terms.size === 0)
    return { axis, outer: { ...axis, variable: variable(`${name}_o`) }, outerValue: value, inner: undefined };
  const extent = intervalOf(inner, known).max + 1;
  if (!isCompact(inner, inside, known, extent)) bad(`the loops do not run through neighbours of the axis '${name}'`);
  const odd = [...outer.terms.values()].some((t) => t.factor % extent !== 0) || outer.constant % extent !== 0;
  const all = intOf(axis.extent);
  if (odd || (all !== undefined && all % extent !== 0)) bad(`tiles of ${extent} do not divide the axis '${name}'`);
  const divided: Linear = {
    terms: new Map([...outer.terms].map(([k, t]) => [k, { ...t, factor: t.factor / extent }])),
    constant: outer.constant / extent,
  };
  const count = simplify({ kind: "binary", op: "floorDiv", dtype: "i32", a: axis.extent, b: int(extent) }, known);
  return {
    axis,
    outer: { ...axis, variable: variable(`${name}_o`), extent: count },
    outerValue: sumExpr(divided),
    inner: { axis: { ...axis, variable: variable(`${name}_i`), extent: int(extent) }, value: sumExpr(inner) },
  };
}

/** Whether a sum of loop variables takes each value from 0 to `extent` - 1 once. */
function isCompact(sum: Linear, inside: ReadonlySet<Var>, known: Known, extent: number): boolean {
  let next = 1;
  for (const { atom, factor } of [...sum.terms.values()].toSorted((a, b) => a.factor - b.factor)) {
    if (atom.kind !== "var" || !inside.has(atom) || factor !== next) return false;
    const max = intOf(known.get(atom)?.max ?? int(-1));
    if (max === undefined || max < 0) return false;
    next *= max + 1;
  }
  return next === extent;
}

function wholeBlock(p: Program, block: Block, loops: readonly For[], parts: readonly Part[], conditions: readonly Expr[]): Block {
  const points = new Map<Var, Expr>(
    parts.map(({ axis, outer, inner }) => [
      axis.variable,
      inner ? add(mul(outer.variable, inner.axis.extent), inner.axis.variable) : outer.variable,
    ]),
  );
  const innerParts = parts.flatMap((x) => (x.inner ? [x.inner] : []));
  const inner: Block = {
    ...block,
    axes: innerParts.map((x) => x.axis),
    values: innerParts.map((x) => x.value),
    where: allOf(conditions.map((t) => substituteIn(t, points))),
    init: undefined,
    body: substitute(block.body, points),
  };
  const body = loops.reduceRight<Stmt>((x, l) => ({ ...l, body: x }), inner);
  const init = block.init && initNest(p, block, parts, block.init);
  return {
    kind: "block",
    name: freshBlockName(p, `${block.name}_o`),
    axes: parts.map((x) => x.outer),
    values: parts.map((x) => x.outerValue),
    init,
    body,
    annotations: {},
    span: block.span,
  };
}

/** The init at each inner point of the spatial axes. */
function initNest(p: Program, block: Block, parts: readonly Part[], init: Stmt): Stmt {
  const spatial = parts.flatMap(({ axis, outer, inner }) =>
    inner && axis.type === "spatial"
      ? [
          {
            old: axis.variable,
            outer,
            extent: inner.axis.extent,
            axis: variable(`${axis.variable.name}_i_init`),
            at: variable(`${axis.variable.name}_0`),
          },
        ]
      : [],
  );
  const points = new Map<Var, Expr>([
    ...parts.map(({ axis, outer }): [Var, Expr] => [axis.variable, outer.variable]),
    ...spatial.map((x): [Var, Expr] => [x.old, add(mul(x.outer.variable, x.extent), x.axis)]),
  ]);
  const inner: Block = {
    kind: "block",
    name: freshBlockName(p, `${block.name}_init`),
    axes: spatial.map((x) => ({ variable: x.axis, extent: x.extent, type: "spatial" })),
    values: spatial.map((x) => x.at),
    body: substitute(init, points),
    annotations: {},
    span: block.span,
  };
  return spatial.reduceRight<Stmt>((x, l) => loop(l.at, l.extent, x, { span: block.span }), inner);
}
