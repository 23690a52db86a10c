/**
 * A contraction, or what is computed element by element, on copies of its buffers that are padded with zeros, so that its extents are multiples of
 * what an instruction takes.
 */

import { binary, constant, int, intOf, less, load, loop, seq, variable } from "../ir/build.ts";
import { freshBlockName, freshBufferName } from "../ir/fresh-names.ts";
import type { Axis, Block, Buffer, Expr, For, Load, Program, Stmt, Store, Var } from "../ir/types.ts";
import { isFor, replaceBuffer, replaceStmt, within } from "../ir/walk.ts";
import type { Blocks } from "./cache.ts";
import { blockAt, refuse, type Step, tidied } from "./find.ts";
import { reductionOf } from "./rfactor.ts";

type Bad = (why: string) => never;

/** The loads that are multiplied with one another; undefined where a term is more than that. */
function factorsOf(e: Expr): readonly Load[] | undefined {
  if (e.kind === "load") return [e];
  if (e.kind === "cast") return factorsOf(e.a);
  if (e.kind !== "binary" || e.op !== "*") return undefined;
  const [a, b] = [factorsOf(e.a), factorsOf(e.b)];
  return a && b ? [...a, ...b] : undefined;
}

/** What a block stores, and where what it reads lies. */
interface Work {
  readonly store: Store;
  readonly loads: readonly Load[];
  /** Each element is computed by itself: what is computed outside is not copied back, whatever it is computed from. */
  readonly elementwise: boolean;
}

/** The work of a block that adds up products, or stores each element of a buffer once. */
function workOf(block: Block, bad: Bad): Work {
  const reduction = reductionOf(block);
  if (reduction || block.axes.some((a) => a.type === "reduce")) {
    const loads = reduction?.op === "+" ? factorsOf(reduction.term) : undefined;
    return reduction && loads ? { store: reduction.store, loads, elementwise: false } : bad(neither);
  }
  const { init, body } = block;
  if (init || body.kind !== "store" || block.axes.some((a) => !body.indices.includes(a.variable))) return bad(neither);
  const loads = [...within(body.value)].filter((e): e is Load => e.kind === "load");
  return { store: body, loads, elementwise: true };
}
const neither = "it neither adds up products of elements nor stores each element by itself";

/** Gives each axis of a block an extent that is a multiple; what lies outside is 0, and only what lies inside is copied back. */
export function pad(p: Program, name: string, factors: readonly number[], step: Step): Blocks {
  const { block, around } = blockAt(p, name, step);
  const bad: Bad = (why) => refuse(step, "W5542", { step: step.name, block: name, why }, block.span);
  if (factors.length !== block.axes.length)
    bad(`it has ${block.axes.length} axes, and ${factors.length} factor${factors.length === 1 ? " is" : "s are"} given`);
  const wrong = factors.find((f) => !Number.isSafeInteger(f) || f < 1);
  if (wrong !== undefined) bad(`a factor is a whole number from 1 on, not ${wrong}`);
  const nest = plainNest(block, around, bad);
  const { store, loads, elementwise } = workOf(block, bad);
  const extents = new Map(
    block.axes.map((a, i): [Var, number] => {
      const extent =
        intOf(a.extent) ??
        refuse(step, "W5525", { step: step.name, why: `only the launch knows the extent of '${a.variable.name}'` }, block.span);
      const f = factors[i] ?? 1;
      return [a.variable, Math.ceil(extent / f) * f];
    }),
  );
  const grown = new Set(block.axes.filter((a) => extents.get(a.variable) !== intOf(a.extent)).map((a) => a.variable));
  if (grown.size === 0) return { program: p, blocks: [] };
  for (const access of [store, ...loads]) {
    const axes = access.indices.map((i) => block.axes.find((a) => a.variable === i));
    if (axes.includes(undefined) || new Set(axes).size < axes.length)
      bad(`${access.buffer.name} is not read or written at axes of the block, each once`);
    if (elementwise && access !== store && isLargeEnough(access, extents)) continue;
    const short = access.indices.findIndex(
      (_, d) => intOf(access.buffer.shape[d] ?? int(0)) !== intOf(axes[d]?.extent ?? int(-1)),
    );
    if (short >= 0) bad(`dimension ${short} of ${access.buffer.name} has another extent than the axis it is read at`);
  }
  const twice = loads.find(
    (l) => loads.some((o) => o.buffer === l.buffer && o.indices.some((e, d) => e !== l.indices[d])) || l.buffer === store.buffer,
  );
  if (twice) bad(`${twice.buffer.name} is read at two places, or written, too`);
  for (const a of block.axes)
    if (a.type === "reduce" && grown.has(a.variable)) {
      const without = loads.find((l) => !l.indices.includes(a.variable));
      if (without)
        bad(
          `${without.buffer.name} does not depend on '${a.variable.name}': 0 times what it holds would be added, and that may be no number`,
        );
    }
  const copied = elementwise ? loads.filter((l) => !isLargeEnough(l, extents)) : loads;
  return padded(p, block, nest, { store, loads: copied, extents, grown, addsTo: !elementwise && !block.init });
}

/** Whether a buffer has all elements that are read of it where axes have these extents. */
const isLargeEnough = ({ buffer, indices }: Pick<Load, "buffer" | "indices">, extents: ReadonlyMap<Var, number>): boolean =>
  indices.every((i, d) => {
    const [extent, wanted] = [intOf(buffer.shape[d] ?? int(0)), i.kind === "var" ? extents.get(i) : undefined];
    return extent !== undefined && wanted !== undefined && extent >= wanted;
  });

/** The loops of a block, where each runs one axis of it from 0 on. */
function plainNest(block: Block, around: readonly Stmt[], bad: Bad): readonly For[] {
  if (block.where) bad("it runs under a condition: pad before its loops are split");
  const nest = around.slice(around.length - block.axes.length);
  const plain =
    nest.length === block.axes.length &&
    nest.every((s) => isFor(s) && s.loop === "serial" && block.values.filter((v) => v === s.variable).length === 1) &&
    block.values.every((v, i) =>
      nest.some((s) => isFor(s) && s.variable === v && intOf(s.extent) === intOf(block.axes[i]?.extent ?? int(-1))),
    );
  if (!plain) bad("its loops are not one for each axis, with nothing beside them: pad before its loops are split or bound");
  return nest.filter(isFor);
}

interface Padding {
  readonly store: { readonly buffer: Buffer; readonly indices: readonly Expr[] };
  readonly loads: readonly Load[];
  readonly extents: ReadonlyMap<Var, number>;
  readonly grown: ReadonlySet<Var>;
  /** What the result holds before is read. */
  readonly addsTo: boolean;
}

function padded(p: Program, block: Block, nest: readonly For[], { store, loads, extents, grown, addsTo }: Padding): Blocks {
  const outer = nest[0];
  if (!outer) return { program: p, blocks: [] };
  const isGrown = (indices: readonly Expr[]): boolean => indices.some((i) => i.kind === "var" && grown.has(i));
  const copies: Stmt[] = [];
  const back: Stmt[] = [];
  const buffers: Buffer[] = [];
  const blocks: string[] = [];
  let program = p;
  let body: Stmt = { ...block, axes: block.axes.map((a): Axis => ({ ...a, extent: int(extents.get(a.variable) ?? 0) })) };
  const grow = (buffer: Buffer, indices: readonly Expr[]): Buffer => {
    const made: Buffer = {
      name: freshBufferName({ ...p, buffers: [...p.buffers, ...buffers] }, `${buffer.name}_pad`),
      dtype: buffer.dtype,
      shape: indices.map((i) => int((i.kind === "var" ? extents.get(i) : undefined) ?? 0)),
      scope: "global",
      span: block.span,
    };
    buffers.push(made);
    return made;
  };
  const add = (to: Stmt[], from: Buffer, into: Buffer): void => {
    const { nest: made, name } = copyNest(program, from, into, block);
    program = { ...program, body: seq(program.body, made) };
    to.push(made);
    blocks.push(name);
  };
  const done = new Set<Buffer>();
  for (const { buffer, indices } of loads) {
    if (!isGrown(indices) || done.has(buffer)) continue;
    done.add(buffer);
    const made = grow(buffer, indices);
    add(copies, buffer, made);
    body = replaceBuffer(body, buffer, made);
  }
  if (isGrown(store.indices)) {
    const made = grow(store.buffer, store.indices);
    if (addsTo) add(copies, store.buffer, made);
    body = replaceBuffer(body, store.buffer, made);
    add(back, made, store.buffer);
  }
  const loops = nest.reduceRight<Stmt>((inner, l) => {
    const axis = block.axes[block.values.indexOf(l.variable)];
    return { ...l, extent: int((axis && extents.get(axis.variable)) ?? 0), body: inner };
  }, body);
  const all = replaceStmt(p.body, outer, seq(...copies, loops, ...back));
  return { program: tidied({ ...p, buffers: [...p.buffers, ...buffers], body: all }), blocks };
}

/** A block in loops of its own over the whole of `to`; elements that `from` does not have are 0. */
function copyNest(p: Program, from: Buffer, to: Buffer, block: Block): { readonly nest: Stmt; readonly name: string } {
  const axes = to.shape.map((extent, d): Axis => ({ variable: variable(`v${d}`), extent, type: "spatial" }));
  const indices = axes.map((a) => a.variable);
  const tests = from.shape.flatMap((extent, d): Expr[] => {
    const [v, other] = [indices[d], to.shape[d]];
    return v && other && (intOf(extent) ?? 0) < (intOf(other) ?? 0) ? [less(v, extent)] : [];
  });
  const [first, ...rest] = tests;
  const value = load(from, indices);
  const name = freshBlockName(p, to.name === `${from.name}_pad` || tests.length > 0 ? to.name : `${to.name}_back`);
  const condition = first && rest.reduce((a, b) => binary("&&", a, b), first);
  const made: Block = {
    kind: "block",
    name,
    axes,
    values: axes.map((_, d) => variable(`ax${d}`)),
    body: {
      kind: "store",
      buffer: to,
      indices,
      value: condition
        ? { kind: "select", dtype: to.dtype, condition, yes: value, no: constant(to.dtype === "bool" ? false : 0, to.dtype) }
        : value,
      span: block.span,
    },
    annotations: {},
    span: block.span,
  };
  const loops = made.values.reduceRight<Stmt>(
    (inner, v, d) => (v.kind === "var" ? loop(v, axes[d]?.extent ?? int(1), inner, { span: block.span }) : inner),
    made,
  );
  return { nest: loops, name };
}
