/** A reduction in two: partial results for each iteration of one of its loops, and a reduction of those. */

import { numberRange } from "../../base/element-types.ts";
import type { DType } from "../../base/types.ts";
import { pointsOf } from "../facts/points.ts";
import { reads } from "../facts/touches.ts";
import { binary, constant, int, load, seq, variable } from "../ir/build.ts";
import { allOf, termsOf } from "../ir/conditions.ts";
import { freshBlockName, freshBufferName } from "../ir/fresh-names.ts";
import { sameExpr } from "../ir/linear.ts";
import type { Axis, BinaryOp, Block, Buffer, Const, Expr, For, Program, Stmt, Store, Var } from "../ir/types.ts";
import { isFor, mentions, replaceStmt, substitute, substituteIn } from "../ir/walk.ts";
import type { Blocks } from "./cache.ts";
import { blockAt, loopAt, outermostBlocks, refuse, type Step, tidied, wouldChange } from "./find.ts";

/** What changes nothing under an operation that may be done in any order; undefined where it may not. */
function identityOf(op: BinaryOp, dtype: DType): Const | undefined {
  const [least, most] = numberRange(dtype) ?? [-Infinity, Infinity];
  const value = { "+": 0, "*": 1, min: most, max: least }[op as string];
  return value === undefined ? undefined : constant(value, dtype);
}

export interface Reduction {
  readonly store: Store;
  readonly op: BinaryOp;
  /** What is added, multiplied or compared. */
  readonly term: Expr;
  readonly identity: Const;
}

/** `Z[…] = Z[…] op term`; undefined of any other block. */
export function reductionOf(block: Block): Reduction | undefined {
  const store = block.body;
  if (store.kind !== "store" || store.value.kind !== "binary") return undefined;
  const { op, a, b } = store.value;
  const isOld = (e: Expr): boolean =>
    e.kind === "load" && e.buffer === store.buffer && e.indices.every((i, d) => sameExpr(i, store.indices[d] ?? int(0)));
  const term = isOld(a) ? b : isOld(b) ? a : undefined;
  const identity = identityOf(op, store.buffer.dtype);
  if (!term || !identity || reads({ ...store, value: term }, store.buffer)) return undefined;
  return { store, op, term, identity };
}

export function rfactor(p: Program, at: Var, dimension: number, step: Step): Blocks & { readonly loops: readonly Var[] } {
  const { loop } = loopAt(p, at, step);
  const found = [...outermostBlocks(loop.body)];
  const bad = (why: string): never => refuse(step, "W5541", { step: step.name, why }, loop.span);
  const [only] = found;
  if (!only || found.length > 1)
    return bad(`'${at.name}' runs ${found.length} blocks, and one reduction is taken apart at a time`);
  const { block, around: outside } = blockAt(p, only.name, step);
  const reduction = reductionOf(block);
  if (!reduction) return bad(`'${block.name}' does not add, multiply, or take the least or greatest of what one element held`);
  const nest = nestOf(outside, block, bad);
  if (!nest.includes(loop)) return bad(`'${at.name}' is not a loop of the nest right around '${block.name}'`);
  const drives = block.axes.map((a, i) => ({
    a,
    value: block.values[i] ?? int(0),
    on: mentions(block.values[i] ?? int(0), new Set([at])),
  }));
  if (!drives.some(({ a, on }) => on && a.type === "reduce"))
    return bad(`'${at.name}' is no loop of the reduction of '${block.name}'`);
  const spatialLoops = new Set(
    nest
      .filter((l) => drives.some(({ a, value }) => a.type === "spatial" && mentions(value, new Set([l.variable]))))
      .map((l) => l.variable),
  );
  const mixed = nest.find(
    (l) =>
      spatialLoops.has(l.variable) &&
      drives.some(({ a, value }) => a.type === "reduce" && mentions(value, new Set([l.variable]))),
  );
  if (mixed)
    return wouldChange(
      step,
      `'${mixed.variable.name}' drives both a spatial and a reduction axis of '${block.name}'`,
      block.span,
    );
  if (loop.loop !== "serial" && loop.loop !== "unroll")
    return refuse(step, "W5527", { step: step.name, why: `'${at.name}' is ${loop.loop}` }, loop.span);
  if (mentions(loop.extent, new Set(nest.map((l) => l.variable))))
    return bad(`the extent of '${at.name}' depends on the loops around it`);
  const { store } = reduction;
  const points = pointsOf(p, block, outside);
  if (!points.once) return bad(`it cannot be seen that the loops run '${block.name}' at no point twice`);
  if (!Number.isInteger(dimension) || dimension < 0 || dimension > store.indices.length)
    return bad(`the dimension of the partial results is from 0 to ${store.indices.length}, not ${dimension}`);
  const reductionAxes = new Set(block.axes.filter((a) => a.type === "reduce").map((a) => a.variable));
  if (store.indices.some((i) => mentions(i, reductionAxes)))
    return bad(`'${block.name}' writes other elements of ${store.buffer.name} as its reduction runs`);
  const partial: Buffer = {
    name: freshBufferName(p, `${store.buffer.name}_rf`),
    dtype: store.buffer.dtype,
    shape: store.buffer.shape.toSpliced(dimension, 0, loop.extent),
    scope: "global",
    span: block.span,
  };
  const terms = termsOf(block.where);
  const reductionLoops = nest.filter((l) => !spatialLoops.has(l.variable));
  const inReduction = new Set(reductionLoops.map((l) => l.variable));
  const blended = terms.find((t) => mentions(t, inReduction) && mentions(t, spatialLoops));
  if (blended) return bad(`a condition of '${block.name}' depends on loops of its axes and of its reduction at once`);
  const first = partialBlock(p, block, reduction, { at: loop, reductionLoops, dimension, partial, terms, inReduction });
  const second = finalBlock(p, block, reduction, { nest, loop, spatialLoops, dimension, partial, terms, inReduction });
  const outer = nest[0] ?? loop;
  const changed = replaceStmt(outer, block, first);
  const program = tidied({ ...p, buffers: [...p.buffers, partial], body: replaceStmt(p.body, outer, seq(changed, second.nest)) });
  return { program, blocks: [first.name, block.name], loops: second.loops };
}

/** The loops that hold a block and nothing else, the outermost first. */
function nestOf(outside: readonly Stmt[], block: Block, bad: (why: string) => never): readonly For[] {
  const own: For[] = [];
  for (const s of outside.toReversed()) {
    if (!isFor(s)) break;
    own.unshift(s);
  }
  const outer = outside.slice(0, outside.length - own.length);
  const bound = outer.flatMap((s) => (s.kind === "for" ? [s.variable] : s.kind === "block" ? s.axes.map((a) => a.variable) : []));
  const open = bound.find((v) =>
    block.axes.some((a, i) => a.type === "reduce" && mentions(block.values[i] ?? int(0), new Set([v]))),
  );
  if (open) bad(`its reduction also runs over '${open.name}', which is not right around '${block.name}'`);
  return own;
}

interface Parts {
  readonly dimension: number;
  readonly partial: Buffer;
  readonly terms: readonly Expr[];
  readonly inReduction: ReadonlySet<Var>;
}

/** One partial result for each iteration: that loop is an axis like the others, and the other reduction loops are reduction axes. */
function partialBlock(
  p: Program,
  block: Block,
  { store, op, term, identity }: Reduction,
  parts: Parts & { at: For; reductionLoops: readonly For[] },
): Block {
  const { at, reductionLoops, dimension, partial, terms, inReduction } = parts;
  const axisOf = new Map(reductionLoops.map((l): [Var, Var] => [l.variable, variable(`v${l.variable.name}`)]));
  const spatial = block.axes.flatMap((a, i): { axis: Axis; value: Expr }[] =>
    a.type === "spatial" ? [{ axis: a, value: block.values[i] ?? int(0) }] : [],
  );
  const made = reductionLoops.map((l): { axis: Axis; value: Expr } => ({
    axis: { variable: axisOf.get(l.variable) ?? l.variable, extent: l.extent, type: l === at ? "spatial" : "reduce" },
    value: l.variable,
  }));
  const all = [...spatial, ...made];
  const by = new Map(
    block.axes.flatMap((a, i): [Var, Expr][] =>
      a.type === "reduce" ? [[a.variable, substituteIn(block.values[i] ?? int(0), axisOf)]] : [],
    ),
  );
  const which = axisOf.get(at.variable) ?? at.variable;
  const indices = store.indices.toSpliced(dimension, 0, which);
  const stored: Stmt = {
    ...store,
    buffer: partial,
    indices,
    value: binary(op, load(partial, indices), substituteIn(term, by), partial.dtype),
  };
  const condition = allOf(terms.filter((t) => mentions(t, inReduction)).map((t) => substituteIn(t, axisOf)));
  return {
    ...block,
    name: freshBlockName(p, `${block.name}_rf`),
    axes: all.map((x) => x.axis),
    values: all.map((x) => x.value),
    where: allOf(terms.filter((t) => !mentions(t, inReduction))),
    init: { kind: "store", buffer: partial, indices, value: identity, span: store.span },
    body: condition ? { kind: "if", condition, yes: stored, span: store.span } : stored,
  };
}

/** The reduction of the partial results, in loops like those of the spatial axes. */
function finalBlock(
  _p: Program,
  block: Block,
  { store, op }: Reduction,
  parts: Parts & { nest: readonly For[]; loop: For; spatialLoops: ReadonlySet<Var> },
): { nest: Stmt; loops: readonly Var[] } {
  const { nest, loop, spatialLoops, dimension, partial, terms, inReduction } = parts;
  const used = nest.filter((l) => l === loop || spatialLoops.has(l.variable));
  const fresh = new Map(used.map((l): [Var, Var] => [l.variable, variable(l.variable.name)]));
  const kept = block.axes.flatMap((a, i): { axis: Axis; value: Expr }[] =>
    a.type === "spatial"
      ? [{ axis: { ...a, variable: variable(a.variable.name) }, value: substituteIn(block.values[i] ?? int(0), fresh) }]
      : [],
  );
  const old = block.axes.filter((a) => a.type === "spatial");
  const by = new Map(old.map((a, i): [Var, Expr] => [a.variable, kept[i]?.axis.variable ?? a.variable]));
  const reduced: Axis = { variable: variable(`v${loop.variable.name}`), extent: loop.extent, type: "reduce" };
  const indices = store.indices.map((i) => substituteIn(i, by));
  const value = binary(
    op,
    load(store.buffer, indices),
    load(partial, indices.toSpliced(dimension, 0, reduced.variable)),
    store.buffer.dtype,
  );
  const final: Block = {
    ...block,
    axes: [...kept.map((k) => k.axis), reduced],
    values: [...kept.map((k) => k.value), fresh.get(loop.variable) ?? loop.variable],
    where: allOf(terms.filter((t) => !mentions(t, inReduction)).map((t) => substituteIn(t, fresh))),
    init: block.init && substitute(block.init, by),
    body: { ...store, indices, value },
    annotations: {},
  };
  const all = used.reduceRight<Stmt>(
    (body, l) => ({ ...l, variable: fresh.get(l.variable) ?? l.variable, annotations: {}, body }),
    final,
  );
  return { nest: all, loops: used.map((l) => fresh.get(l.variable) ?? l.variable) };
}
