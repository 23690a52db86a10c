/** Loops of one iteration, which say nothing. */
import { int, intOf } from "../ir/build.ts";
import type { Program, Var } from "../ir/types.ts";
import { replaceStmt, substitute } from "../ir/walk.ts";
import { loopAt, refuse, type Step, tidied } from "./find.ts";

/** Takes away a loop of one iteration: its variable is 0. */
export function dropLoop(p: Program, at: Var, step: Step): Program {
  const { loop } = loopAt(p, at, step);
  const extent = intOf(loop.extent);
  if (extent !== 1)
    refuse(
      step,
      "W5525",
      { step: step.name, why: `'${at.name}' has ${extent ?? "an unknown number of"} iterations, and one is taken away` },
      loop.span,
    );
  return tidied({ ...p, body: replaceStmt(p.body, loop, substitute(loop.body, new Map([[at, int(0)]]))) });
}
