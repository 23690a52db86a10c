/**
 * Checks that what a whole warp or warpgroup executes together is not written where only some of its threads come. Changes nothing.
 *
 * Requires: nothing beyond the verifier's invariants. Runs before what rewrites conditions: they are the author's.
 * Ensures: no op with participants (src/ir/ops) stands where some of them are certainly missing (W2048): under a condition or in a
 * loop that tells the threads of a warp or the warps of a warpgroup apart (a thread's number compared with a constant, `elect()`), or
 * after a `return` under one; barriers alone do without threads that have ended (PTX ISA 9.7.13.1). Nor does such a condition choose a warp's
 * matrix, or how often a loop makes it anew: which thread holds which element of it is not specified. Other conditions may be the same
 * in every thread, and pass. What has no effects is not the author's to place: gather-warp-index moves it.
 */

import { anyOp, endsThread, type Graph, isFragment, type Op, opSpec, type Region } from "../../ir/index.ts";
import { fail } from "../errors.ts";
import { type Facts, factsOf, type Missing, worse } from "../facts/index.ts";

/** Who does not come here: those that are elsewhere, and those that have ended. */
interface Absent {
  readonly away: Missing;
  readonly ended: Missing;
}

/** The group of which an op misses some threads. */
function misses(op: Op, { away, ended }: Absent): Missing {
  switch (opSpec(op.name).participants) {
    case "block":
    case "cluster":
      return away === "warp" ? away : undefined;
    case "mask":
      return ((op as Op<"bar.warp.sync">).attrs.mask | 0) === -1 && worse(away, ended) === "warp" ? "warp" : undefined;
    case "warp":
      return worse(away, ended) === "warp" ? "warp" : undefined;
    case "warpgroup":
    case "whole block":
    case "whole cluster":
      return worse(away, ended);
    case undefined:
      return undefined;
  }
}

function check(op: Op, absent: Absent): void {
  const { called, effects } = opSpec(op.name);
  const group = effects.length === 0 ? undefined : misses(op, absent);
  if (group) fail("W2048", { what: called ?? op.name, group }, op.spans);
}

/** A matrix of a warp that threads of it choose by themselves. W2048. */
function checkChosen(op: Op, missing: Missing): void {
  if (missing !== "warp" || !op.results.some(({ type }) => isFragment(type))) return;
  fail("W2048", { what: "a choice of a warp's matrix (wmma)", group: "warp" }, op.spans);
}

/** Checks what is inside an op; gives who has ended after it. */
function checkRegions(raw: Op, absent: Absent, facts: Facts): Missing {
  const op = anyOp(raw);
  const [first, second] = raw.regions;
  const { away, ended } = absent;
  const inside = (region: Region | undefined, missing: Missing): void => {
    if (region) checkRegion(region, { away: worse(away, missing), ended }, facts);
  };
  if (op.name === "if") {
    const parted = facts.parted(op.operands.condition);
    inside(first, parted.yes);
    inside(second, parted.no);
    checkChosen(op, worse(parted.yes, parted.no));
    return worse(endsThread(first) ? parted.no : undefined, endsThread(second) ? parted.yes : undefined);
  }
  if (op.name === "for") {
    const missing = facts.missingIn(op);
    inside(first, missing);
    checkChosen(op, missing);
  }
  if (op.name === "while") {
    const last = first?.ops.at(-1);
    const test = last && anyOp(last);
    inside(first, undefined);
    const missing = test?.name === "condition" ? facts.parted(test.operands.go).yes : undefined;
    inside(second, missing);
    checkChosen(op, missing);
  }
  return undefined;
}

function checkRegion(region: Region, absent: Absent, facts: Facts): void {
  let { ended } = absent;
  for (const op of region.ops) {
    check(op, { away: absent.away, ended });
    const known = anyOp(op);
    if (known.name === "select") {
      const { yes, no } = facts.parted(known.operands.condition);
      checkChosen(op, worse(yes, no));
    }
    if (op.regions.length > 0) ended = worse(ended, checkRegions(op, { away: absent.away, ended }, facts));
  }
}

export function checkCollectives(graph: Graph): Graph {
  checkRegion(graph.body, { away: undefined, ended: undefined }, factsOf(graph));
  return graph;
}
