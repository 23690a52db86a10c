/** Letting a warpgroup of its own make the copies of a loop, ahead of those that compute. */
import { optionsOf } from "../../base/diag/index.ts";
import { annotationOf, isSpecialized } from "../facts/specialization.ts";
import { flattenBlocks } from "../flat/flatten-blocks.ts";
import { hoistConditions } from "../flat/hoist-conditions.ts";
import { lowerInit } from "../flat/lower-init.ts";
import { simplifyIndices } from "../flat/simplify-indices.ts";
import type { For, Program, Var } from "../ir/types.ts";
import { statements } from "../ir/walk.ts";
import { Refusal } from "../roles/refusal.ts";
import { takenApart } from "../roles/specialized-loop.ts";
import { loopAt, refuse, type Step, withStmt } from "./find.ts";

/** What `warpSpecialize` takes. */
export interface WarpSpecializeOptions {
  /** Iterations whose copies are in shared memory at a time, from 1 to 16: one is computed with, the others are on their way. */
  readonly stages: number;
  /** Iterations whose products may still run when the next one begins: 1 keeps the tensor cores busy, and a stage one iteration longer. Default: 1. */
  readonly wait?: 0 | 1;
  /**
   * Warpgroups that take turns, 2 or 3: each computes iterations of the loop around by itself, a block's tiles as `persist` makes them, and while
   * one multiplies the others store. The program is for the threads of one. Default: 1, all threads of the program compute together.
   */
  readonly pingpong?: 1 | 2 | 3;
}

export const warpSpecializeOptions = optionsOf<WarpSpecializeOptions>("warpSpecialize()", {
  stages: true,
  wait: true,
  pingpong: true,
});

const mostStages = 16;

/** Annotates the loop, once it is sure that its copies may be made ahead of time by one thread. */
export function warpSpecialize(p: Program, at: Var, options: WarpSpecializeOptions, step: Step): Program {
  const { stages, wait = 1, pingpong = 1 } = options;
  const { loop } = loopAt(p, at, step);
  const bad = (why: string, ...spans: For["span"][]): never => refuse(step, "W5575", { step: step.name, why }, ...spans);
  if (!Number.isSafeInteger(stages) || stages < 1 || stages > mostStages)
    bad(`a number of stages is from 1 to ${mostStages}, not ${String(stages)}`, loop.span);
  if (wait !== 0 && wait !== 1) bad(`\`wait\` is 0 or 1, not ${String(wait)}`, loop.span);
  if (pingpong !== 1 && pingpong !== 2 && pingpong !== 3) bad(`\`pingpong\` is 1, 2 or 3, not ${String(pingpong)}`, loop.span);
  if (wait === 1 && stages === 1)
    bad("with `wait: 1` a stage is kept one iteration longer, so there have to be 2 at least", loop.span);
  const before = [...statements(p.body)].find((s) => isSpecialized(s) && s.variable !== at);
  if (before?.kind === "for")
    bad(`'${before.variable.name}' is specialized already, and a kernel has one such loop`, before.span);
  const marked: For = { ...loop, annotations: { ...loop.annotations, ...annotationOf({ stages, wait, pingpong }) } };
  const next = withStmt(p, loop, marked);
  const flat = hoistConditions(simplifyIndices(flattenBlocks(lowerInit(next))));
  const found = [...statements(flat.body)].find((s): s is For => s.kind === "for" && s.variable === at);
  const problem = found && takenApart(flat, found);
  if (problem instanceof Refusal) {
    const { why, span, instead } = problem;
    refuse(step, "W5575", { step: step.name, why, instead }, loop.span, ...(span === loop.span ? [] : [span]));
  }
  return next;
}
