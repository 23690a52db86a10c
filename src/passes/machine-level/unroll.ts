/**
 * Does several iterations of a loop at once, where the author asked for it.
 *
 * Requires: literals folded. The wgmma checks have run: copies of a body say the same thing twice.
 * Ensures: no `for` has `unroll` any more. With a literal step, `unroll: n` gives a loop of n iterations at once and one for what
 * is left over, if anything can be; with literal bounds and no more than n iterations, there is no loop. Loops with another step, of
 * integers under 32 bits, or that end the thread are left as loops.
 */
import {
  bitsOf,
  endsThread,
  type Graph,
  type Ids,
  integerRange,
  isScalar,
  makeOp,
  makeValue,
  type Op,
  type Region,
  type ScalarType,
  type Value,
  walkOps,
  withParts,
  yielded,
} from "../../ir/index.ts";
import { tripCount } from "../fold/control.ts";
import { type OpWriter, opWriter } from "../rewrite/op-writer.ts";
import {
  copyOps,
  freshIds,
  integerLiterals,
  type LoopRewrite,
  type Renaming,
  renameOperands,
  withBody,
  withOps,
  withRegions,
} from "../rewrite/rewrite.ts";

/** A loop to unroll: its parts, and a place to put ops before it. */
interface Loop {
  readonly op: Op<"for">;
  readonly body: Region;
  readonly index: Value;
  readonly type: ScalarType;
  readonly step: bigint;
  readonly times: bigint;
}

/** `times` copies of the body one after the other; the last one's values. */
function iterations(loop: Loop, times: bigint, index: Value, carried: readonly Value[], w: OpWriter, ids: Ids): readonly Value[] {
  let now = carried;
  for (let iteration = 0n; iteration < times; iteration++) {
    const i = iteration === 0n ? index : w.math("add", index, w.constant(iteration * loop.step));
    const names: Renaming = new Map();
    loop.body.params.forEach((param, at) => {
      const by = at === 0 ? i : now[at - 1];
      if (by) names.set(param.id, by);
    });
    for (const op of copyOps(loop.body.ops.slice(0, -1), names, ids)) w.ops.push(op);
    now = yielded(loop.body).map((v) => names.get(v.id) ?? v);
  }
  return now;
}

/** A loop of `times` iterations at once, from the start of `loop` to `stop`. */
function wideLoop(loop: Loop, stop: Value, step: Value, results: readonly Value[], u: LoopRewrite): Op {
  const params = loop.body.params.map((p) => makeValue(u.ids, p.type, p.name));
  const w = opWriter(loop.type, loop.op.spans, u.ids);
  const [index = loop.index, ...carried] = params;
  const values = iterations(loop, loop.times, index, carried, w, u.ids);
  const end = makeOp(u.ids, "yield", { values }, {}, { spans: loop.op.spans });
  const { start } = loop.op.operands;
  return withParts(loop.op as Op, {
    operands: { start, stop, step, carried: loop.op.operands.carried },
    attrs: { unroll: undefined },
    results,
    regions: [{ params, ops: [...w.ops, end as Op] }],
  });
}

const fresh = (values: readonly Value[], ids: Ids): readonly Value[] => values.map((v) => makeValue(ids, v.type));

/** Where the iterations that come `times` at once end. Distances are counted without sign: they need not fit the index's type. */
function wideStop(loop: Loop, w: OpWriter): Value {
  const { start, stop } = loop.op.operands;
  const up = loop.step > 0n;
  const plain: ScalarType = bitsOf(loop.type) === 64 ? "u64" : "u32";
  const [low, high] = up ? [start, stop] : [stop, start];
  const distance = w.cast(w.math("sub", high, low), plain);
  const one = w.constant(1n, plain);
  const size = w.constant(up ? loop.step : -loop.step, plain);
  const full = w.math("add", w.math("div", w.math("sub", distance, one), size), one);
  const trips = w.select(w.compare("lt", low, high), full, w.constant(0n, plain));
  const wide = w.math("sub", trips, w.math("rem", trips, w.constant(loop.times, plain)));
  return w.math("add", start, w.math("mul", w.cast(wide, loop.type), w.constant(loop.step)));
}

function withRemainder(loop: Loop, u: LoopRewrite): readonly Op[] {
  const w = opWriter(loop.type, loop.op.spans, u.ids);
  const stop = wideStop(loop, w);
  const middle = fresh(loop.op.results, u.ids);
  const wide = wideLoop(loop, stop, w.constant(loop.step * loop.times), middle, u);
  const rest = withParts(loop.op as Op, {
    operands: { ...loop.op.operands, start: stop, carried: middle },
    attrs: { unroll: undefined },
  });
  return [...w.ops, wide, rest];
}

/** All iterations, where their number is a literal: no loop, or one with what is left over after it. */
function counted(loop: Loop, trips: bigint, u: LoopRewrite): readonly Op[] {
  const w = opWriter(loop.type, loop.op.spans, u.ids);
  const { start, carried } = loop.op.operands;
  const left = trips % loop.times;
  const base = u.literals.get(start.id) ?? 0n;
  const looped = trips > loop.times;
  let now: readonly Value[] = carried;
  let rest = trips;
  let index = start;
  if (looped) {
    rest = left;
    index = w.constant(base + (trips - left) * loop.step);
    now = fresh(loop.op.results, u.ids);
    const step = w.constant(loop.step * loop.times);
    w.ops.push(wideLoop(loop, index, step, now, u));
  }
  const values = iterations(loop, rest, index, now, w, u.ids);
  loop.op.results.forEach((result, i) => {
    const by = values[i];
    if (by) u.names.set(result.id, by);
  });
  return w.ops;
}

function loopOf(op: Op<"for">, u: LoopRewrite): Loop | undefined {
  const [body] = op.regions;
  const index = body?.params[0];
  const step = u.literals.get(op.operands.step.id);
  const times = op.attrs.unroll;
  if (!body || !index || !step || !times || times < 2 || endsThread(body)) return undefined;
  if (!isScalar(index.type) || bitsOf(index.type) < 32) return undefined;
  const loop = { op, body, index, type: index.type, step, times: BigInt(times) };
  const [least, greatest] = integerRange(index.type);
  const wideStep = step * loop.times;
  return wideStep >= least && wideStep <= greatest ? loop : undefined;
}

function unrollFor(op: Op<"for">, u: LoopRewrite): readonly Op[] {
  const loop = loopOf(op, u);
  if (!loop) return [withParts(op as Op, { attrs: { unroll: undefined } })];
  const literal = (value: Value) => u.literals.get(value.id);
  const trips = tripCount(literal(op.operands.start), literal(op.operands.stop), loop.step);
  return trips === undefined ? withRemainder(loop, u) : counted(loop, trips, u);
}

/** Inner loops first: what is copied is already unrolled. */
function unrollOps(ops: readonly Op[], u: LoopRewrite): readonly Op[] {
  return ops.flatMap((raw) => {
    const op = renameOperands(raw, u.names);
    if (op.regions.length === 0) return [op];
    const inner = withRegions(
      op,
      op.regions.map((r) => withOps(r, unrollOps(r.ops, u))),
    );
    return isUnrolled(inner) ? unrollFor(inner as Op<"for">, u) : [inner];
  });
}

const isUnrolled = (op: Op): boolean => op.name === "for" && (op as Op<"for">).attrs.unroll !== undefined;

export function unroll(graph: Graph, ids: Ids = freshIds(graph)): Graph {
  let wanted = false;
  walkOps(graph.body, (op) => {
    wanted ||= isUnrolled(op);
  });
  if (!wanted) return graph;
  return withBody(graph, unrollOps(graph.body.ops, { ids, literals: integerLiterals(graph), names: new Map() }));
}
