/**
 * Stops carrying through a loop what the loop never changes.
 *
 * Requires: nothing beyond the verifier's invariants.
 * Ensures: what a loop carries, or an `if` gives, is one value from outside wherever nothing else can reach it, through any number
 * of variables that hand it to each other; that value stands for it, inside and after, and the loop carries it no longer. A
 * `while` does not hand out a value from outside.
 */
import { type Graph, type Op, type Region, type Value, withParts } from "../ir/index.ts";
import { handedOut, operandsOf, type Renaming, renameOperands, withBody } from "./rewrite.ts";
import { sameEverywhere } from "./same-everywhere.ts";

const filterBy = <T>(list: readonly T[], keep: readonly boolean[]): readonly T[] => list.filter((_, i) => keep[i]);

/** The region with fewer parameters, handing out fewer values. */
function trim(region: Region, params: readonly Value[], keep: readonly boolean[]): Region {
  const ops = region.ops.map((op, i) => {
    if (i !== region.ops.length - 1 || op.name === "exit") return op;
    return withParts(op, { operands: { ...op.operands, values: filterBy(operandsOf(op, "values"), keep) } });
  });
  return { params, ops };
}

function dropFor(op: Op, names: Renaming): Op {
  const [body] = op.regions;
  const [index, ...params] = body?.params ?? [];
  const keep = params.map((p) => !names.has(p.id));
  if (!body || !index || keep.every(Boolean)) return op;
  return withParts(op, {
    operands: { ...op.operands, carried: filterBy(operandsOf(op, "carried"), keep) },
    results: filterBy(op.results, keep),
    regions: [trim(body, [index, ...filterBy(params, keep)], keep)],
  });
}

/** What goes in and what comes out differ: the test passes values on as it likes. */
function dropWhile(op: Op, names: Renaming): Op {
  const [test, body] = op.regions;
  if (!test || !body) return op;
  const keepIn = test.params.map((p) => !names.has(p.id));
  const keepOut = handedOut(test).map((_, i) => {
    const result = op.results[i];
    return !result || !names.has(result.id);
  });
  if (keepIn.every(Boolean) && keepOut.every(Boolean)) return op;
  return withParts(op, {
    operands: { carried: filterBy(operandsOf(op, "carried"), keepIn) },
    results: filterBy(op.results, keepOut),
    regions: [trim(test, filterBy(test.params, keepIn), keepOut), trim(body, filterBy(body.params, keepOut), keepIn)],
  });
}

function dropIn(raw: Op, names: Renaming): Op {
  let op = renameOperands(raw, names);
  if (op.name === "for") op = dropFor(op, names);
  if (op.name === "while") op = dropWhile(op, names);
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
