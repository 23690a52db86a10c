import { keptChoice } from "../../../base/tuned-choices.ts";
import { classOf, type Problem } from "../problem/problem.ts";
import { checkPlan } from "./check-plan.ts";
import { type Circumstances, planOf, suits } from "./choose-plan.ts";
import type { Shape } from "./plan.ts";

/** What the choice serves that `warpsmith tune` has kept on this machine; undefined where there is none, or where it does not fit what an epilogue reads. */
export function tunedShape(problem: Problem, { multiprocessors }: Circumstances, device: string): Shape | undefined {
  const kept = keptChoice({ device, by: problem.pair ? "gatedMatmul" : "matmul", of: [classOf(problem)] })?.candidate;
  if (typeof kept !== "object" || kept === null) return undefined;
  try {
    checkPlan(planOf(kept as Shape, problem, multiprocessors), problem);
    return suits(kept as Shape, problem) ? (kept as Shape) : undefined;
  } catch {
    return undefined;
  }
}
