/**
 * Stops carrying through a loop, or giving as the result of an `if`, what never changes there.
 *
 * Requires: nothing beyond the verifier's invariants.
 * Ensures: what a loop carries, or an `if` gives, is one value from outside wherever nothing else can reach it, through any number
 * of variables that pass it to each other; that value stands for it, inside and after, and no longer goes through the op.
 */
import { type Graph, keepFlow, type Op, type Region, withParts } from "../../ir/index.ts";
import { type Renaming, renameOperands, withBody } from "../rewrite/rewrite.ts";
import { sameEverywhere } from "../rewrite/same-everywhere.ts";

function dropIn(raw: Op, names: Renaming): Op {
  const op = keepFlow(renameOperands(raw, names), (received) => !received.every(({ id }) => names.has(id)));
  return op.regions.length === 0 ? op : withParts(op, { regions: op.regions.map((r) => dropRegion(r, names)) });
}

const dropRegion = (region: Region, names: Renaming): Region => ({
  params: region.params,
  ops: region.ops.map((op) => dropIn(op, names)),
});

export function dropInvariants(graph: Graph): Graph {
  const names = sameEverywhere(graph);
  return names.size === 0 ? graph : withBody(graph, dropRegion(graph.body, names).ops);
}
