import {
  type AccType,
  accElements,
  channelsOf,
  flowEdges,
  type Graph,
  isAcc,
  isLoop,
  type Op,
  operandList,
  type Region,
  usesSome,
  type Value,
  walkOps,
} from "../ir/index.ts";
import type { Reg, RegClass } from "../ptx/index.ts";
import { walkFlows } from "./flows.ts";

/**
 * Which accumulators share registers. ptxas keeps products asynchronous only where an accumulator stays in the same virtual
 * registers from product to product, so the values along each flow are put together wherever none of them is overwritten
 * while another one is still needed.
 */

type Live = Set<number>;
type Interference = Map<number, Set<number>>;

const holdsAcc = (v: Value): boolean => isAcc(v.type);
const accIds = (values: readonly Value[]): readonly number[] => values.filter(holdsAcc).map((v) => v.id);
const union = (...sets: readonly Iterable<number>[]): Live => new Set(sets.flatMap((s) => [...s]));
const without = (live: Live, ids: readonly number[]): Live => {
  const out = new Set(live);
  for (const id of ids) out.delete(id);
  return out;
};

/** Values that come to be at one moment: each one differs from the others and from all that lives on. */
function define(ids: readonly number[], live: Live, found: Interference): void {
  const all = union(live, ids);
  for (const a of ids) {
    for (const b of all) {
      if (a === b) continue;
      found.set(a, (found.get(a) ?? new Set()).add(b));
      found.set(b, (found.get(b) ?? new Set()).add(a));
    }
  }
}

/** What lives before an op with regions. Of a loop, what lives before its regions is settled first. */
function liveBeforeRegions(op: Op, after: Live, found: Interference): Live {
  const edges = flowEdges(op);
  const before = new Map<Region, Live>();
  const leaving = (from: Region | undefined): Live =>
    union(...edges.filter((edge) => edge.from === from).map(({ to }) => (to ? (before.get(to) ?? []) : after)));
  for (let changed = true; changed; ) {
    changed = false;
    for (const region of op.regions.toReversed()) {
      const live = without(liveBeforeRegion(region, leaving(region), found), accIds(region.params));
      changed ||= isLoop(op) && live.size !== (before.get(region)?.size ?? 0);
      before.set(region, live);
    }
  }
  // Results that come the same way as parameters will be in their registers: what lives after the op differs from these, too.
  for (const { receivers } of channelsOf(op)) {
    const all = union(...receivers.map(({ region }) => (region ? (before.get(region) ?? []) : after)));
    for (const { region, values } of receivers) if (region) define(accIds(values), all, found);
  }
  return leaving(undefined);
}

function liveBeforeOp(op: Op, live: Live, found: Interference): Live {
  if (op.name === "exit") return new Set();
  if (op.regions.length === 0 && !op.results.some(holdsAcc) && !usesSome(op, holdsAcc)) return live;
  const [results, used] = [accIds(op.results), accIds(operandList(op))];
  define(results, live, found);
  const after = without(live, results);
  const before = op.regions.length > 0 ? liveBeforeRegions(op, after, found) : after;
  return union(before, used);
}

function liveBeforeRegion(region: Region, after: Live, found: Interference): Live {
  return region.ops.reduceRight((live, op) => liveBeforeOp(op, live, found), after);
}

function registersFor(type: AccType, fresh: (cls: RegClass) => Reg): readonly Reg[] {
  const count = type.dtype === "f16" ? accElements(type) / 2 : accElements(type);
  return Array.from({ length: count }, () => fresh(type.dtype === "f32" ? "f32" : "b32"));
}

/** The registers of every accumulator value, by its id. */
export function assignAccumulators(graph: Graph, fresh: (cls: RegClass) => Reg): ReadonlyMap<number, readonly Reg[]> {
  const types = new Map<number, AccType>();
  const note = (v: Value) => {
    if (isAcc(v.type)) types.set(v.id, v.type);
  };
  walkOps(graph.body, (op) => {
    op.results.forEach(note);
    op.regions.forEach(({ params }) => {
      params.forEach(note);
    });
  });
  if (types.size === 0) return new Map();

  const found: Interference = new Map();
  liveBeforeRegion(graph.body, new Set(), found);
  const flows: { from: number; to: number; depth: number }[] = [];
  walkFlows(graph.body, (from, to, depth) => {
    if (isAcc(from.type)) flows.push({ from: from.id, to: to.id, depth });
  });
  flows.sort((x, y) => y.depth - x.depth);

  const classes = new Map([...types.keys()].map((id) => [id, [id]]));
  for (const { from, to } of flows) {
    const a = classes.get(from);
    const b = classes.get(to);
    if (!a || !b || a === b || a.some((x) => b.some((y) => found.get(x)?.has(y)))) continue;
    for (const id of b) {
      a.push(id);
      classes.set(id, a);
    }
  }
  const registers = new Map<readonly number[], readonly Reg[]>();
  return new Map(
    [...types].map(([id, type]) => {
      const group = classes.get(id) ?? [];
      const regs = registers.get(group) ?? registersFor(type, fresh);
      registers.set(group, regs);
      return [id, regs] as const;
    }),
  );
}
