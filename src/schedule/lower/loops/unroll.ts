/**
 * Requires: compacted buffers. Ensures: loops that choose among registers are written out; other loops of kind `unroll` are, where
 * their bodies do not become too many.
 */

import { accessesIn } from "../../facts/accesses.ts";
import { intOf } from "../../ir/build.ts";
import type { For, Program, Stmt, Var } from "../../ir/types.ts";
import { mapStmt, within } from "../../ir/walk.ts";

/** Copies of one loop's body that an author's `unrolled` may make. */
const mostCopies = 256;

const inRegisters = (scope: string): boolean => scope !== "shared" && scope !== "global";

/** The variables in the indices of buffers that live in registers. */
function choosing(body: Stmt): ReadonlySet<Var> {
  const found = new Set<Var>();
  for (const { buffer, mins } of accessesIn(body)) {
    if (!inRegisters(buffer.scope)) continue;
    for (const e of mins) for (const x of within(e)) if (x.kind === "var") found.add(x);
  }
  return found;
}

/** Loops that choose registers become loops that are written out. */
export function unrollLoops(program: Program, remark: (text: string) => void): Program {
  const chosen = choosing(program.body);
  const changed = (l: For): For => {
    if (l.loop === "serial") return chosen.has(l.variable) ? { ...l, loop: "unroll" } : l;
    const copies = intOf(l.extent) ?? Number.POSITIVE_INFINITY;
    if (l.loop !== "unroll" || chosen.has(l.variable) || copies <= mostCopies) return l;
    remark(`the loop \`${l.variable.name}\` stays a loop: ${copies} copies of its body would be more than ${mostCopies}`);
    return { ...l, loop: "serial" };
  };
  return { ...program, body: mapStmt(program.body, { stmt: (s) => (s.kind === "for" ? changed(s) : s) }) };
}
