/**
 * Checks the author's waits for asynchronous matrix products (PTX ISA 9.7.15.7). Changes nothing.
 *
 * Requires: nothing beyond the verifier's invariants. Runs before everything else, so that what it says does not depend on
 * what other passes find out.
 * Ensures: on every path, an accumulator is read only when a wait covers its last product (W6001), and every product is waited
 * for before the thread ends (W6002).
 *
 * The state of a product is its age: -1 in the open group, then the number of groups committed after its own.
 * `wgmma.wait_group n` finishes the ages from n on. Where paths meet, the youngest counts; loops run to a fixpoint.
 */
import { fail } from "../diag/index.ts";
import { anyOp, type Graph, isAcc, type Op, type Region, type Value } from "../ir/index.ts";
import { handedOut, operandsOf } from "./rewrite.ts";

interface Product {
  readonly age: number;
  /** The product itself, for the report. */
  readonly op: Op;
}
/** The products in flight, by the accumulator that they will be in. */
type Flight = ReadonlyMap<number, Product>;

/** Undefined: no path comes here. */
type State = Flight | undefined;

/** Is what the walk finds reported? Not until a loop's state has settled. */
interface Walk {
  readonly report: boolean;
}

function meet(a: State, b: State): State {
  if (!a || !b) return a ?? b;
  const out = new Map(a);
  for (const [id, product] of b) {
    const other = out.get(id);
    if (!other || product.age < other.age) out.set(id, product);
  }
  return out;
}

const sameState = (a: State, b: State): boolean =>
  a === b || (a !== undefined && b !== undefined && a.size === b.size && [...a].every(([id, p]) => b.get(id)?.age === p.age));

/** Accumulators under other names: what `from` held, `to` holds now. */
function rename(state: State, from: readonly Value[], to: readonly Value[]): State {
  if (!state) return undefined;
  const out = new Map(state);
  for (const value of from) if (isAcc(value.type)) out.delete(value.id);
  from.forEach((value, i) => {
    const product = state.get(value.id);
    const target = to[i];
    if (product && target) out.set(target.id, product);
  });
  return out;
}

function issue(state: Flight, op: Op, acc: Value): State {
  const out = new Map(state);
  out.delete(acc.id);
  const [result] = op.results;
  if (result) out.set(result.id, { age: -1, op });
  return out;
}

const commit = (state: Flight): State => new Map([...state].map(([id, p]) => [id, { ...p, age: p.age + 1 }]));
const wait = (state: Flight, pending: number): State => new Map([...state].filter(([, p]) => p.age < pending));

function read(state: Flight, op: Op, acc: Value, walk: Walk): State {
  const product = state.get(acc.id);
  if (product && walk.report) fail("W6001", { name: acc.name, pending: Math.max(0, product.age) }, op.spans);
  return state;
}

function end(state: Flight, walk: Walk): State {
  const [product] = state.values();
  if (product && walk.report) fail("W6002", {}, product.op.spans);
  return undefined;
}

function loopState(entry: State, step: (state: State, walk: Walk) => State, walk: Walk): State {
  let state = entry;
  for (;;) {
    const next = meet(state, step(state, { report: false }));
    if (sameState(state, next)) break;
    state = next;
  }
  if (walk.report) step(state, walk);
  return state;
}

function flowIf(state: State, op: Op, walk: Walk): State {
  const [yes, no] = op.regions.map((region) => rename(flow(state, region, walk), handedOut(region), op.results));
  return meet(yes, no);
}

function flowFor(state: State, op: Op, walk: Walk): State {
  const [body] = op.regions;
  if (!body) return state;
  const params = body.params.slice(1);
  const entry = rename(state, operandsOf(op, "carried"), params);
  const settled = loopState(entry, (s, w) => rename(flow(s, body, w), handedOut(body), params), walk);
  return rename(settled, params, op.results);
}

function flowWhile(state: State, op: Op, walk: Walk): State {
  const [test, body] = op.regions;
  if (!test || !body) return state;
  const entry = rename(state, operandsOf(op, "carried"), test.params);
  const tested = (s: State, w: Walk): State => flow(s, test, w);
  const around = (s: State, w: Walk): State => {
    const inside = rename(tested(s, w), handedOut(test), body.params);
    return rename(flow(inside, body, w), handedOut(body), test.params);
  };
  const settled = loopState(entry, around, walk);
  return rename(tested(settled, { report: false }), handedOut(test), op.results);
}

function flowOp(state: Flight, raw: Op, walk: Walk): State {
  const op = anyOp(raw);
  switch (op.name) {
    case "wgmma.mma_async":
    case "wgmma.mma_async.rs":
      return issue(state, raw, op.operands.acc);
    case "wgmma.commit_group":
      return commit(state);
    case "wgmma.wait_group":
      return wait(state, op.attrs.pending);
    case "acc.unpack":
      return read(state, raw, op.operands.acc, walk);
    case "exit":
      return end(state, walk);
    case "if":
      return flowIf(state, raw, walk);
    case "for":
      return flowFor(state, raw, walk);
    case "while":
      return flowWhile(state, raw, walk);
    default:
      return state;
  }
}

/** From the start of a region to its terminator. */
function flow(state: State, region: Region, walk: Walk): State {
  let now = state;
  for (const op of region.ops) {
    if (!now) return undefined;
    now = flowOp(now, op, walk);
  }
  return now;
}

export function checkWgmmaWaits(graph: Graph): Graph {
  const last = flow(new Map(), graph.body, { report: true });
  if (last) end(last, { report: true });
  return graph;
}
