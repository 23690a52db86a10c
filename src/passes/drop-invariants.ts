/**
 * Stops carrying through a loop what the loop never changes.
 *
 * Requires: nothing beyond the verifier's invariants.
 * Ensures: no `for` yields one of its own parameters in its own place, and no `while` passes one through test and body
 * unchanged; the value from before the loop stands for it, inside and after. A `while` does not hand out a value from outside.
 */
import { type Graph, type Op, type Region, type Value, withParts } from "../ir/index.ts";
import { endsThread, handedOut, operandsOf, type Renaming, renamed, renameOperands, withBody } from "./rewrite.ts";

const filterBy = <T>(list: readonly T[], keep: readonly boolean[]): readonly T[] => list.filter((_, i) => keep[i]);

function name(values: readonly Value[], by: readonly Value[], keep: readonly boolean[], names: Renaming): void {
  values.forEach((value, i) => {
    const other = by[i];
    if (!keep[i] && other) names.set(value.id, renamed(other, names));
  });
}

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
  if (!body || endsThread(body)) return op;
  const carried = operandsOf(op, "carried");
  const [index, ...params] = body.params;
  const out = handedOut(body);
  const keep = params.map((p, i) => out[i] !== p);
  if (!index || keep.every(Boolean)) return op;
  name(params, carried, keep, names);
  name(op.results, carried, keep, names);
  return withParts(op, {
    operands: { ...op.operands, carried: filterBy(carried, keep) },
    results: filterBy(op.results, keep),
    regions: [trim(body, [index, ...filterBy(params, keep)], keep)],
  });
}

/** What the loop carries in: kept where the body changes it. */
function dropWhileCarried(op: Op, names: Renaming): Op {
  const [test, body] = op.regions;
  if (!test || !body || endsThread(body) || endsThread(test)) return op;
  const carried = operandsOf(op, "carried");
  const passed = handedOut(test);
  const keep = handedOut(body).map((v, i) => {
    const at = body.params.indexOf(v);
    return at < 0 || passed[at] !== test.params[i];
  });
  if (keep.every(Boolean)) return op;
  name(test.params, carried, keep, names);
  return withParts(op, {
    operands: { carried: filterBy(carried, keep) },
    regions: [{ params: filterBy(test.params, keep), ops: test.ops }, trim(body, body.params, keep)],
  });
}

/** What the test hands out: kept where it is made in the loop. */
function dropWhileResults(op: Op, names: Renaming): Op {
  const [test, body] = op.regions;
  if (!test || !body || endsThread(test)) return op;
  const inside = new Set([...test.params, ...test.ops.flatMap((o) => o.results)]);
  const passed = handedOut(test).map((v) => renamed(v, names));
  const keep = passed.map((v) => inside.has(v));
  if (keep.every(Boolean)) return op;
  name(body.params, passed, keep, names);
  name(op.results, passed, keep, names);
  return withParts(op, {
    results: filterBy(op.results, keep),
    regions: [trim(test, test.params, keep), { params: filterBy(body.params, keep), ops: body.ops }],
  });
}

function dropIn(raw: Op, names: Renaming): Op {
  let op = renameOperands(raw, names);
  if (op.name === "for") op = dropFor(op, names);
  if (op.name === "while") op = dropWhileResults(dropWhileCarried(op, names), names);
  return op.regions.length === 0 ? op : withParts(op, { regions: op.regions.map((r) => dropRegion(r, names)) });
}

const dropRegion = (region: Region, names: Renaming): Region => ({
  params: region.params,
  ops: region.ops.map((op) => dropIn(op, names)),
});

export const dropInvariants = (graph: Graph): Graph => withBody(graph, dropRegion(graph.body, new Map()).ops);
