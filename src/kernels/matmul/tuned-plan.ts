import { tunedChoice } from "../common/tuned.ts";
import { checkPlan } from "./check-plan.ts";
import { type Circumstances, planOf, suits } from "./choose-plan.ts";
import type { Plan, Shape } from "./plan.ts";
import { classOf, type Problem } from "./problem.ts";

/** What the choice serves that `warpsmith tune` has kept on this machine; undefined where there is none, or where it does not fit what an epilogue reads. */
export function tunedPlan(problem: Problem, { multiprocessors }: Circumstances, device: string): Plan | undefined {
  const kept = tunedChoice(device, "matmul", classOf(problem));
  if (typeof kept !== "object" || kept === null) return undefined;
  try {
    const plan = planOf(kept as Shape, problem, multiprocessors);
    checkPlan(plan, problem);
    return suits(kept as Shape, problem) ? plan : undefined;
  } catch {
    return undefined;
  }
}
