/**
 * Does not clear accumulators that nobody reads before a product has written them.
 *
 * Requires: nothing beyond the verifier's invariants.
 * Ensures: an accumulator of zeros is one of nothing (`acc.undef`) where all that ever takes it are products that do not add to it:
 * their `accumulate` is false, or is so in the first iteration of a loop that is sure to have one and carries the zeros in.
 */
import { anyOp, flowEdges, type Graph, type Op, type Region, tiedOperand, usesSome, type Value } from "../../ir/index.ts";
import { type Facts, factsOf } from "../facts/index.ts";
import { hasOp, operand, withBody, withOps, withRegions } from "../rewrite/rewrite.ts";

/** Does a loop surely have a first iteration? */
function hasIteration({ operands: { start, stop, step } }: Op<"for">, facts: Facts): boolean {
  const [least, most] = facts.range(step);
  if (least > 0) return facts.range(start)[1] < facts.range(stop)[0];
  return most < 0 && facts.range(start)[0] > facts.range(stop)[1];
}

/** Is the accumulator overwritten wherever it is used? `region` is where it is defined. */
function unread(acc: Value, region: Region, facts: Facts): boolean {
  const isIt = (v: Value): boolean => v === acc;
  const allows = (op: Op): boolean => {
    if (usesSome(op, isIt) && !overwrites(op, acc, facts)) return false;
    return op.regions.length === 0 || op.regions.every((inner) => inner.ops.every(allows));
  };
  return region.ops.every(allows);
}

function overwrites(raw: Op, acc: Value, facts: Facts): boolean {
  const op = anyOp(raw);
  const accumulate = operand(raw, "accumulate");
  if (tiedOperand(raw) === acc) return accumulate !== undefined && facts.literal(accumulate) === false;
  const [body] = op.regions;
  if (op.name !== "for" || !body || !hasIteration(op, facts)) return false;
  const first = facts.firstIteration(raw);
  return flowEdges(raw)
    .filter(({ from, to }) => !from && to)
    .every(({ values, targets }) => targets.every((param, i) => values[i] !== acc || unread(param, body, first)));
}

function dropIn(region: Region, facts: Facts): Region {
  const ops = region.ops.map((op) => {
    const zeros = op.name === "acc.zero" ? op.results[0] : undefined;
    if (zeros && unread(zeros, region, facts)) return { ...op, name: "acc.undef" } as Op;
    if (op.regions.length === 0) return op;
    return withRegions(
      op,
      op.regions.map((r) => dropIn(r, facts)),
    );
  });
  return withOps(region, ops);
}

export const dropZeros = (graph: Graph): Graph =>
  hasOp(graph.body, "acc.zero") ? withBody(graph, dropIn(graph.body, factsOf(graph)).ops) : graph;
