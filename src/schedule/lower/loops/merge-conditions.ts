/**
 * Requires: no block has axes. Ensures: a condition that a loop does not change is asked once, around the loop; neighbours under one condition stand
 * under one `if`. What a pipeline skips at its end is then one branch in an iteration, and its addresses are computed together.
 */
import { seq } from "../../ir/build.ts";
import { sameExpr } from "../../ir/linear.ts";
import type { Expr, If, Program, Stmt } from "../../ir/types.ts";
import { mapStmt, mentions, within } from "../../ir/walk.ts";

/** Of indices alone: nothing that a statement stores changes it. */
const isPlain = (e: Expr): boolean => [...within(e)].every((x) => x.kind !== "load");

/** An `if` without another side, whose condition nothing in it changes. */
const asked = (s: Stmt | undefined): If | undefined => (s?.kind === "if" && !s.no && isPlain(s.condition) ? s : undefined);

function merged(s: Stmt): Stmt {
  if (s.kind === "for") {
    const inner = asked(s.body);
    return inner && !mentions(inner.condition, new Set([s.variable])) ? { ...inner, yes: { ...s, body: inner.yes } } : s;
  }
  if (s.kind !== "seq") return s;
  const out: Stmt[] = [];
  for (const next of s.body) {
    const [before, now] = [asked(out.at(-1)), asked(next)];
    if (before && now && sameExpr(before.condition, now.condition))
      out.splice(-1, 1, { ...before, yes: seq(before.yes, now.yes) });
    else out.push(next);
  }
  return seq(...out);
}

/** Conditions leave loops, and neighbours with the same one are put together. */
export const mergeConditions = (program: Program): Program => ({ ...program, body: mapStmt(program.body, { stmt: merged }) });
