/** How threads share rows of which some elements are chosen. */

import { display } from "../../base/diag/index.ts";
import { fail } from "../errors.ts";
import { checkRowPlan } from "../rows/choose-plan.ts";
import type { RowPlan } from "../rows/plan.ts";

/** Blocks that have a row together: as many as the multiprocessors of an H200 run at once. */
function clusterFor(columns: number, rows: number): number {
  if (columns < 16384) return 1;
  return [8, 4, 2].find((blocks) => rows * blocks <= 132) ?? 1;
}

export function planToSelect(columns: number, rows: number): RowPlan {
  const threads = columns <= 1024 ? 128 : columns <= 4096 ? 256 : columns < 16384 ? 512 : 1024;
  const cluster = clusterFor(columns, rows);
  return { threads, group: "block", keep: false, depth: 2, ...(cluster > 1 ? { cluster } : {}) };
}

/** W2601, W7613. */
export function checkSelectPlan(plan: RowPlan): void {
  checkRowPlan(plan);
  if (plan.group !== "block") fail("W7613", { field: "group", given: display(plan.group), expected: '"block"' });
  if (plan.keep === true) fail("W7613", { field: "keep", given: "true", expected: "false: rows are read again for each digit" });
}
