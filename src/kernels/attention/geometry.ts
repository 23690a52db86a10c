import type { Plan } from "./plan.ts";
import type { Problem } from "./problem.ts";

/** A problem and its plan: all that the kernel's code asks of them. */
export interface Geometry {
  readonly problem: Problem;
  readonly plan: Plan;
}
