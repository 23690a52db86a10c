/**
 * Moves what a loop computes anew each time out of the loop.
 *
 * Requires: nothing beyond the verifier's invariants.
 * Ensures: a pure op right inside a `for` or `while` whose operands are all from outside stands before the loop. Loads and ops
 * with effects stay, and so do accumulators: their life is not made longer. What stands in a branch stays in it.
 */
import { type Graph, isAcc, type Op, operandList, type Region, type Value } from "../ir/index.ts";
import { isPure, withBody } from "./rewrite.ts";

const movable = (op: Op, inside: ReadonlySet<number>): boolean =>
  isPure(op) &&
  op.results.length > 0 &&
  ![...operandList(op), ...op.results].some((v) => isAcc(v.type)) &&
  !operandList(op).some((v) => inside.has(v.id));

/** Splits a region of a loop into what goes before the loop and what stays. */
function split(region: Region, inside: Set<number>, before: Op[]): Region {
  const ops: Op[] = [];
  for (const op of region.ops) {
    if (movable(op, inside)) {
      before.push(op);
      continue;
    }
    ops.push(op);
    for (const value of op.results) inside.add(value.id);
  }
  return { params: region.params, ops };
}

/** Inner loops first, so that an op may leave several loops. */
function hoistOps(ops: readonly Op[]): readonly Op[] {
  return ops.flatMap((op) => {
    if (op.regions.length === 0) return [op];
    const regions = op.regions.map((r): Region => ({ params: r.params, ops: hoistOps(r.ops) }));
    if (op.name !== "for" && op.name !== "while") return [{ ...op, regions }];
    const inside = new Set(regions.flatMap((r) => r.params).map((v: Value) => v.id));
    const before: Op[] = [];
    return [{ ...op, regions: regions.map((r) => split(r, inside, before)) }].flatMap((loop) => [...before, loop]);
  });
}

export const licm = (graph: Graph): Graph => withBody(graph, hoistOps(graph.body.ops));
