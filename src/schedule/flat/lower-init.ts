/**
 * Requires: any program. Ensures: no block has an `init`; what stood there runs before the body where all reduction axes of the block are 0.
 */
import { and, equal, seq, yes, zero } from "../ir/build.ts";
import type { Block, If, Program, Stmt } from "../ir/types.ts";
import { mapStmt } from "../ir/walk.ts";

function lowered(b: Block): Block {
  if (!b.init) return b;
  const first = b.axes
    .filter((a) => a.type === "reduce")
    .map((a) => equal(a.variable, zero))
    .reduce(and, yes);
  const init: Stmt = first === yes ? b.init : ({ kind: "if", condition: first, yes: b.init, span: b.span } satisfies If);
  return { ...b, init: undefined, body: seq(init, b.body) };
}

/** `init` becomes an `if` at the beginning of its block. */
export const lowerInit = (program: Program): Program => ({
  ...program,
  body: mapStmt(program.body, { stmt: (s) => (s.kind === "block" ? lowered(s) : s) }),
});
