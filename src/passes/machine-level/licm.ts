/**
 * Moves what a loop computes anew each time out of the loop.
 *
 * Requires: nothing beyond the verifier's invariants.
 * Ensures: a pure op right inside a loop whose operands are all from outside stands before the loop. Loads and ops
 * with effects stay, and so do accumulators: their life is not made longer. What stands in a branch stays in it.
 */
import { type Graph, isAcc, isLoop, type Op, type Region, usesAny, usesSome, type Value, withParts } from "../../ir/index.ts";
import { isPure, withBody, withOps, withRegions } from "../rewrite/rewrite.ts";

const holdsAcc = ({ type }: Value): boolean => isAcc(type);

const movable = (op: Op, inside: ReadonlySet<number>): boolean =>
  op.results.length > 0 && isPure(op) && !op.results.some(holdsAcc) && !usesAny(op, inside) && !usesSome(op, holdsAcc);

/** Splits a region of a loop into what goes before the loop and what stays. */
function split(region: Region, inside: Set<number>, before: Op[]): Region {
  const ops: Op[] = [];
  const note = ({ id }: Value): void => void inside.add(id);
  region.ops.forEach((op) => {
    if (movable(op, inside)) {
      before.push(op);
      return;
    }
    ops.push(op);
    op.results.forEach(note);
  });
  return { params: region.params, ops };
}

/** Inner loops first, so that an op may leave several loops. */
function hoistOps(ops: readonly Op[]): readonly Op[] {
  const out: Op[] = [];
  ops.forEach((op) => {
    if (op.regions.length === 0) out.push(op);
    else hoistFrom(op, out);
  });
  return out;
}

function hoistFrom(op: Op, out: Op[]): void {
  const regions = op.regions.map((r) => withOps(r, hoistOps(r.ops)));
  if (!isLoop(op)) {
    out.push(withRegions(op, regions));
    return;
  }
  const inside = new Set(regions.flatMap((r) => r.params).map((v) => v.id));
  const stays = regions.map((r) => split(r, inside, out));
  out.push(withParts(op, { regions: stays }));
}

export const licm = (graph: Graph): Graph => withBody(graph, hoistOps(graph.body.ops));
