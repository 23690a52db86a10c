/**
 * Computes what is known: literals, identities, branches and loops with literal conditions and bounds, offsets of addresses.
 * Branches that only choose between values, or do very little for them, become `select`. What is rounded to 16 bits and packed, or
 * stored beside its neighbour, is rounded in pairs.
 *
 * Requires: nothing beyond the verifier's invariants.
 * Ensures: the same results bit for bit. A result that would be NaN, and what the hardware rounds in its
 * own way (`approx`, `div.approx`, 8-bit floats) are left alone. Ops that lose their last use stay, for `dce`.
 */
import { type Graph, type Ids, type Op, opSpec, type Region } from "../../ir/index.ts";
import { ownFactsOf } from "../facts/index.ts";
import { freshIds, renameOperands, withBody, withOps } from "../rewrite/rewrite.ts";
import { foldAddresses } from "./addresses.ts";
import { foldConstants } from "./constants.ts";
import type { FoldContext, Folded } from "./context.ts";
import { type Folding, foldFor, foldIf, foldWhile } from "./control.ts";
import { foldIdentities } from "./identities.ts";
import { foldPairs } from "./pairs.ts";

const simplify = (op: Op, c: FoldContext): Folded =>
  foldConstants(op, c) ?? foldIdentities(op, c) ?? foldAddresses(op, c) ?? foldPairs(op, c);

function foldOp(raw: Op, f: Folding, out: Op[]): boolean {
  const c = f.context;
  const op = renameOperands(raw, c.names);
  if (op.name === "if") return foldIf(op as Op<"if">, f, out);
  if (op.name === "for") return foldFor(op as Op<"for">, f, out);
  if (op.name === "while") return foldWhile(op as Op<"while">, f, out);
  const folded = simplify(op, c);
  const result = op.results[0];
  if (folded && "value" in folded && result) {
    c.names.set(result.id, folded.value);
    return false;
  }
  if (folded && "ops" in folded) {
    for (const next of folded.ops) f.into(next, out);
    return false;
  }
  out.push(op);
  c.facts.define(op);
  return opSpec(op.name).terminator === "ends thread";
}

function foldOps(ops: readonly Op[], f: Folding): readonly Op[] {
  const out: Op[] = [];
  ops.some((op) => f.into(op, out));
  return out;
}

export function fold(graph: Graph, ids: Ids = freshIds(graph)): Graph {
  const context: FoldContext = { ids, facts: ownFactsOf(graph), names: new Map() };
  const folding: Folding = {
    context,
    into: (op, out) => foldOp(op, folding, out),
    region: (region: Region): Region => withOps(region, foldOps(region.ops, folding)),
  };
  return withBody(graph, foldOps(graph.body.ops, folding));
}
