/**
 * Checks the author's waits for asynchronous matrix products (PTX ISA 9.7.15.7). Changes nothing.
 *
 * Requires: nothing beyond the verifier's invariants. Runs before passes that rewrite, so that what it says does not
 * depend on what they find out.
 * Ensures: on every path, an accumulator is read only when a wait covers its last product (W6001), and every product is waited
 * for before the thread ends (W6002).
 *
 * The state of a product is its age: -1 in the open group, then the number of groups committed after its own.
 * `wgmma.wait_group n` finishes the ages from n on. Where paths meet, the youngest counts; loops run to a fixpoint.
 */

import {
  anyOp,
  type FlowEdge,
  flowEdges,
  type Graph,
  isAcc,
  isLoop,
  type Op,
  type Region,
  tiedOperand,
  type Value,
} from "../../ir/index.ts";
import { fail } from "../errors.ts";

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
interface Reporting {
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

function read(state: Flight, op: Op, acc: Value, reporting: Reporting): State {
  const product = state.get(acc.id);
  if (product && reporting.report) fail("W6001", { name: acc.name, pending: Math.max(0, product.age) }, op.spans);
  return state;
}

function end(state: Flight, reporting: Reporting): State {
  const [product] = state.values();
  if (product && reporting.report) fail("W6002", {}, product.op.spans);
  return undefined;
}

/** What comes to `to`, as far as it is known what the regions end with. */
function arriving(edges: readonly FlowEdge[], to: Region | undefined, before: State, ends: ReadonlyMap<Region, State>): State {
  let state: State;
  for (const edge of edges)
    if (edge.to === to) state = meet(state, rename(edge.from ? ends.get(edge.from) : before, edge.values, edge.targets));
  return state;
}

/** Through the regions of an op. In a loop, what they end with is settled first, and then each is walked once more to report. */
function flowRegions(state: State, op: Op, reporting: Reporting): State {
  const edges = flowEdges(op);
  const ends = new Map<Region, State>();
  const began = new Map<Region, State>();
  /** Does what a region ends with change? A region is not walked again for what it was walked for: loops in loops would double each time. */
  const pass = (w: Reporting): boolean => {
    let changed = false;
    for (const region of op.regions) {
      const before = ends.get(region);
      const arrives = arriving(edges, region, state, ends);
      if (!w.report && began.has(region) && sameState(began.get(region), arrives)) continue;
      began.set(region, arrives);
      const now = meet(before, flow(arrives, region, w));
      ends.set(region, now);
      changed ||= !sameState(before, now);
    }
    return changed;
  };
  if (isLoop(op)) while (pass({ report: false }));
  if (!isLoop(op) || reporting.report) pass(reporting);
  return arriving(edges, undefined, state, ends);
}

function flowOp(state: Flight, raw: Op, reporting: Reporting): State {
  const op = anyOp(raw);
  const acc = tiedOperand(raw);
  if (acc && isAcc(acc.type)) return issue(state, raw, acc);
  switch (op.name) {
    case "wgmma.commit_group":
      return commit(state);
    case "wgmma.wait_group":
      return wait(state, op.attrs.pending);
    case "acc.unpack":
      return read(state, raw, op.operands.acc, reporting);
    case "exit":
      return end(state, reporting);
    default:
      return op.regions.length > 0 ? flowRegions(state, raw, reporting) : state;
  }
}

/** From the start of a region to its terminator. */
function flow(state: State, region: Region, reporting: Reporting): State {
  let now = state;
  for (const op of region.ops) {
    if (!now) return undefined;
    now = flowOp(now, op, reporting);
  }
  return now;
}

export function checkWgmmaWaits(graph: Graph): Graph {
  const last = flow(new Map(), graph.body, { report: true });
  if (last) end(last, { report: true });
  return graph;
}
