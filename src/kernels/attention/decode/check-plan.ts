/** Refuses plans that no kernel for decoding can follow: W7613, W7654. */

import { checkOptions, display, optionsOf } from "../../../base/diag/index.ts";
import { fail } from "../../errors.ts";
import { type DecodePlan, mostBytes, planBytes, type Sized } from "./plan.ts";

const planOptions = optionsOf<DecodePlan>("The plan", {
  keys: true,
  stages: true,
  blocks: true,
  least: true,
});

const isCount = (x: unknown, most: number): boolean => typeof x === "number" && Number.isInteger(x) && x >= 1 && x <= most;

/** A plan of the author's. W2601, W2602, W7613, W7654. */
export function checkDecodePlan(plan: DecodePlan, problem: Sized): void {
  checkOptions(plan, planOptions);
  const rules: readonly (readonly [field: keyof DecodePlan, holds: boolean, expected: string])[] = [
    ["keys", [64, 128].includes(plan.keys), "64 or 128"],
    ["stages", isCount(plan.stages, 64), "a whole number from 1 to 64"],
    ["blocks", isCount(plan.blocks, 8), "a whole number from 1 to 8"],
    ["least", isCount(plan.least, 2 ** 20), "a whole number from 1"],
  ];
  for (const [field, holds, expected] of rules) if (!holds) fail("W7613", { field, given: display(plan[field]), expected });
  const { all, stage } = planBytes(plan, problem);
  const limit = mostBytes(plan.blocks);
  if (all > limit) fail("W7654", { all, limit, stages: plan.stages, stage, blocks: plan.blocks });
}
