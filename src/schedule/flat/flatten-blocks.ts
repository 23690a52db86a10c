/**
 * Requires: no block has an `init`. Ensures: no block has axes or a `where`; blocks that are left have annotations for later passes, and the
 * rest is their bodies.
 */

import { isAsync } from "../facts/marks.ts";
import { isTrue } from "../ir/build.ts";
import type { Block, Expr, If, Program, Stmt, Var } from "../ir/types.ts";
import { mapStmt, substitute, substituteIn } from "../ir/walk.ts";

function flattened(b: Block): Stmt {
  const values = new Map<Var, Expr>();
  b.axes.forEach((axis, i) => {
    const value = b.values[i];
    if (value) values.set(axis.variable, value);
  });
  const inner = substitute(b.body, values);
  const where = b.where && substituteIn(b.where, values);
  const kept: Stmt = isAsync(b.annotations) ? { ...b, axes: [], values: [], where: undefined, body: inner } : inner;
  return where === undefined || isTrue(where) ? kept : ({ kind: "if", condition: where, yes: kept, span: b.span } satisfies If);
}

/** Blocks become their bodies: axes are replaced by their values, `where` is an `if`. */
export const flattenBlocks = (program: Program): Program => ({
  ...program,
  body: mapStmt(program.body, { stmt: (s) => (s.kind === "block" ? flattened(s) : s) }),
});
