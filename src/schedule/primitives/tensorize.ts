/** Putting a tensor intrinsic in the place of the loop nest that means the same. */

import { add, binary, int, intOf } from "../ir/build.ts";
import { clippedLoad, isBound, sameIndex, termsOf } from "../ir/conditions.ts";
import { knownIn } from "../ir/known.ts";
import { plus, sumExpr } from "../ir/linear.ts";
import { Mismatch, no } from "../ir/mismatch.ts";
import { bounded, type Known, linearOf, provably, simplify } from "../ir/simplify.ts";
import type { Block, Buffer, Expr, Intrinsic, Program, Region, Stmt, Store, Var } from "../ir/types.ts";
import { isFor, mentions, type Substitution, substituteIn } from "../ir/walk.ts";
import type { Blocks } from "./cache.ts";
import { blockAt, refuse, type Step, withStmt } from "./find.ts";

/** A nest of loops around one store, with the axes of its blocks put in place, and the conditions that it runs under. */
interface Nest {
  readonly loops: readonly { readonly variable: Var; readonly extent: Expr }[];
  readonly store: Store;
  readonly conditions: readonly { readonly block: string; readonly test: Expr }[];
}

function nestOf(body: Stmt): Nest {
  const loops: Nest["loops"][number][] = [];
  const conditions: Nest["conditions"][number][] = [];
  let by: Substitution = new Map();
  let s = body;
  for (;;) {
    if (isFor(s)) {
      loops.push({ variable: s.variable, extent: s.extent });
      s = s.body;
    } else if (s.kind === "block") {
      if (s.init) no(`'${s.name}' has an init; take it apart first, with decomposeReduction(…)`);
      const inner: Block = s;
      by = new Map([...by, ...inner.axes.map((a, i): [Var, Expr] => [a.variable, substituteIn(inner.values[i] ?? int(0), by)])]);
      for (const t of termsOf(inner.where)) conditions.push({ block: inner.name, test: substituteIn(t, by) });
      s = inner.body;
    } else if (s.kind === "store") {
      const store = s;
      return {
        loops,
        conditions,
        store: { ...store, indices: store.indices.map((e) => substituteIn(e, by)), value: substituteIn(store.value, by) },
      };
    } else
      return no(
        s.kind === "intrinsic" ? `it is the intrinsic '${s.name}' already` : "it is more than one store in a nest of loops",
      );
  }
}

function* orders<T>(all: readonly T[]): Generator<readonly T[]> {
  if (all.length <= 1) yield all;
  for (const [i, first] of all.entries()) for (const rest of orders(all.toSpliced(i, 1))) yield [first, ...rest];
}

interface Match {
  /** Variables of the description as those of the program. */
  readonly variables: ReadonlyMap<Var, Var>;
  readonly inner: ReadonlySet<Var>;
  readonly known: Known;
  readonly buffers: Map<Buffer, Region>;
}

/** The part of a program's buffer that stands for a buffer of the description. */
function matchAccess(want: Buffer, wanted: readonly Expr[], buffer: Buffer, indices: readonly Expr[], m: Match): void {
  if (want.dtype !== buffer.dtype) no(`${buffer.name} is of ${buffer.dtype}, and the intrinsic takes ${want.dtype}`);
  if (want.scope !== buffer.scope) no(`${buffer.name} is in ${buffer.scope}, and the intrinsic takes one in ${want.scope}`);
  const leading = indices.length - wanted.length;
  if (leading < 0) no(`${buffer.name} has fewer dimensions than the intrinsic takes`);
  const ranges = indices.map((index, d) => {
    const other = d < leading ? int(0) : (wanted[d - leading] ?? int(0));
    const mapped = substituteIn(other, m.variables);
    const offset = simplify(sumExpr(plus(linearOf(index, m.known), linearOf(mapped, m.known), -1)), m.known);
    if (mentions(offset, m.inner)) no(`${buffer.name} is not accessed as the intrinsic does it, in dimension ${d}`);
    return { min: offset, extent: d < leading ? int(1) : (want.shape[d - leading] ?? int(1)) };
  });
  const region = { buffer, ranges };
  const before = m.buffers.get(want);
  if (before && !before.ranges.every((r, d) => sameIndex(r.min, ranges[d]?.min, m.known)))
    no(`two parts of ${buffer.name} are accessed`);
  if (before && before.buffer !== buffer)
    no(`${before.buffer.name} and ${buffer.name} are two buffers, and the intrinsic takes one`);
  m.buffers.set(want, region);
}
function matchExpr(want: Expr, given: Expr, m: Match): void {
  const e = want.kind === "load" && want.buffer.clipped ? (clippedLoad(given, m.known) ?? given) : given;
  if (want.kind === "load" && want.buffer.clipped && e.kind === "select")
    no("what it reads depends on a condition, and the intrinsic reads 0 where a buffer ends, and the buffer elsewhere");
  if (want.kind === "load" && e.kind === "load") matchAccess(want.buffer, want.indices, e.buffer, e.indices, m);
  else if (want.kind !== e.kind || want.dtype !== e.dtype) no("it computes something else");
  else if ((want.kind === "cast" && e.kind === "cast") || (want.kind === "unary" && e.kind === "unary" && want.op === e.op))
    matchExpr(want.a, e.a, m);
  else if (want.kind === "binary" && e.kind === "binary" && want.op === e.op) matchOperands(want, e, m);
  else if (want.kind === "select" && e.kind === "select") {
    matchExpr(want.condition, e.condition, m);
    matchExpr(want.yes, e.yes, m);
    matchExpr(want.no, e.no, m);
  } else if (!(want.kind === "const" && e.kind === "const" && want.value === e.value)) no("it computes something else");
}

function matchOperands(want: Expr & { kind: "binary" }, e: Expr & { kind: "binary" }, m: Match): void {
  const before = new Map(m.buffers);
  try {
    matchExpr(want.a, e.a, m);
    matchExpr(want.b, e.b, m);
  } catch (error) {
    if (!(error instanceof Mismatch) || !["+", "*", "min", "max"].includes(want.op)) throw error;
    m.buffers.clear();
    for (const [k, v] of before) m.buffers.set(k, v);
    try {
      matchExpr(want.a, e.b, m);
      matchExpr(want.b, e.a, m);
    } catch {
      throw error;
    }
  }
}

function matched(description: Program, body: Stmt, around: Known): ReadonlyMap<Buffer, Region> {
  const want = nestOf(description.body);
  const nest = nestOf(body);
  if (want.loops.length !== nest.loops.length)
    no(`it is a nest of ${nest.loops.length} loops, and the intrinsic one of ${want.loops.length}`);
  let first: Mismatch | undefined;
  for (const loops of orders(nest.loops)) {
    try {
      return inOrder(want, { ...nest, loops }, around);
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      first ??= error;
    }
  }
  throw first ?? new Mismatch("it computes something else");
}

/** A nest may run under the ends of what it writes, where those clip the intrinsic, too: what else it takes has to have all of its part. */
function checkConditions(want: Nest, { store: { buffer, indices }, conditions }: Nest, m: Match): void {
  if (conditions.length === 0) return;
  const other = conditions.find(({ test }) => !want.store.buffer.clipped || !isBound(test, buffer, indices, m.known));
  if (other) no(`'${other.block}' runs only where a condition holds`);
  for (const [part, region] of m.buffers) {
    const inside = region.ranges.every((r, d) =>
      provably(binary("<=", add(r.min, r.extent), region.buffer.shape[d] ?? int(0)), m.known),
    );
    if (!part.clipped && !inside) no(`the part of ${region.buffer.name} that the intrinsic takes may reach beyond it`);
  }
}

function inOrder(want: Nest, nest: Nest, around: Known): ReadonlyMap<Buffer, Region> {
  const variables = new Map<Var, Var>();
  want.loops.forEach((l, i) => {
    const other = nest.loops[i];
    const [a, b] = [intOf(l.extent), other && intOf(other.extent)];
    if (!other || a === undefined || a !== b)
      no(`the loop '${other?.variable.name}' has ${b ?? "an unknown number of"} iterations, and that of the intrinsic ${a}`);
    else variables.set(l.variable, other.variable);
  });
  const known = new Map([...around, ...nest.loops.map((l) => [l.variable, bounded(l.extent)] as const)]);
  const m: Match = { variables, inner: new Set(variables.values()), known, buffers: new Map() };
  matchAccess(want.store.buffer, want.store.indices, nest.store.buffer, nest.store.indices, m);
  matchExpr(want.store.value, nest.store.value, m);
  checkConditions(want, nest, m);
  return m.buffers;
}

/** Puts the intrinsic in the place of what a block does. `description` is what the intrinsic means. */
export function tensorize(p: Program, name: string, intrinsic: string, description: Program, step: Step): Blocks {
  const { block, around } = blockAt(p, name, step);
  const known = knownIn(p, [...around, block]);
  const buffers = ((): ReadonlyMap<Buffer, Region> => {
    try {
      if (block.init) no(`'${name}' has an init; take it apart first, with decomposeReduction(…)`);
      return matched(description, block.body, known);
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      return refuse(step, "W5528", { block: name, intrinsic, why: error.why }, block.span);
    }
  })();
  const args = description.params.flatMap((b) => buffers.get(b) ?? []);
  const call: Intrinsic = { kind: "intrinsic", name: intrinsic, args, span: block.span };
  return { program: withStmt(p, block, { ...block, body: call }), blocks: [name] };
}
