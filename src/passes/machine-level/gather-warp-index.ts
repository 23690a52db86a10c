/**
 * Computes the warp's number where the whole warp is.
 *
 * Requires: nothing beyond the verifier's invariants.
 * Ensures: `warp.index`, which is a shuffle of all 32 lanes (PTX ISA 9.7.9.6), stands in the kernel's own list of ops and before any op in which
 * a thread may end. Elsewhere lanes may be missing: the shuffle would wait for them, or read from one that has ended. Those give way to
 * one at the kernel's beginning, or to an earlier one that stands well.
 */
import { type Graph, type Op, type Region, walkOps } from "../../ir/index.ts";
import { type Renaming, renameOperands, withBody } from "../rewrite/rewrite.ts";

const endsThreads = (op: Op): boolean => {
  let ends = op.name === "exit";
  for (const region of op.regions)
    walkOps(region, (inner) => {
      ends ||= inner.name === "exit";
    });
  return ends;
};

/** Every `warp.index`, in the order of the text; `safe` counts those before the first that stands elsewhere. */
function found(graph: Graph): { readonly all: readonly Op[]; readonly safe: number } {
  const all: Op[] = [];
  let safe = 0;
  let whole = true;
  for (const op of graph.body.ops) {
    const before = all.length;
    if (op.name === "warp.index") all.push(op);
    for (const region of op.regions) walkOps(region, (inner) => void (inner.name === "warp.index" && all.push(inner)));
    const stands = whole && op.regions.length === 0;
    if (stands && safe === before) safe = all.length;
    whole &&= !endsThreads(op);
  }
  return { all, safe };
}

export function gatherWarpIndex(graph: Graph): Graph {
  const { all, safe } = found(graph);
  const [first] = all;
  if (!first || safe === all.length) return graph;
  const names: Renaming = new Map();
  const [kept] = first.results;
  const gone = new Set<Op>(all.slice(safe > 0 ? 1 : 0));
  for (const op of all) for (const value of op.results) if (kept && value !== kept) names.set(value.id, kept);
  const without = (ops: readonly Op[]): readonly Op[] =>
    ops.flatMap((op) => {
      if (gone.has(op)) return [];
      const named = renameOperands(op, names);
      if (op.regions.length === 0) return [named];
      return [{ ...named, regions: op.regions.map((r): Region => ({ params: r.params, ops: without(r.ops) })) }];
    });
  const rest = without(graph.body.ops);
  return withBody(graph, safe > 0 ? rest : [first, ...rest]);
}
