/** Plans for rows of any length: docs/memory-kernels.md has the figures that they follow. */

import { checkOptions, display, optionsOf } from "../../base/diag/index.ts";
import { fail } from "../errors.ts";
import type { RowPlan } from "./plan.ts";

/** Elements that a thread keeps of a row: 32 where threads suffice, 64 at most. */
const [few, most] = [32, 64];
const mostThreads = 512;

const powerOfTwo = (least: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, least)));

/** For rows that are used more than once: in registers while a block has room for them. Reading again beats the barriers of a cluster. */
export function planToKeep(columns: number): RowPlan {
  if (columns <= 32 * few) return { threads: 128, group: "warp" };
  if (columns > mostThreads * most) return { threads: 512, group: "block", keep: false };
  return { threads: Math.min(powerOfTwo(columns / few), mostThreads), group: "block" };
}

/** What a norm reads and computes. */
interface Norm {
  readonly centred: boolean;
  readonly residual: boolean;
}

/**
 * Beside weights a long row takes so many registers that too few blocks fit a multiprocessor: it is read again instead, from the caches. With a residual, so would
 * be the sum that has just been stored.
 */
export function planForNorm(columns: number, { centred, residual }: Norm): RowPlan {
  if (columns < 4096 || (residual && columns <= mostThreads * few)) return planToKeep(columns);
  return { threads: centred ? 256 : 512, group: "block", keep: false, depth: 2 };
}

/** Blocks that have a row together where there are fewer rows than multiprocessors. */
function clusterFor(columns: number, rows: number): number {
  if (columns < 16384 || rows > 128) return 1;
  return 4;
}

/** For rows that are gone through once. */
export function planToFold(columns: number, rows: number): RowPlan {
  if (columns <= 2048) return { threads: 128, group: "warp", keep: false };
  const cluster = clusterFor(columns, rows);
  return { threads: 256, group: "block", keep: false, ...(cluster > 1 ? { cluster, depth: 8 } : {}) };
}

const planOptions = optionsOf<RowPlan>("The plan", {
  threads: true,
  group: true,
  cluster: true,
  keep: true,
  depth: true,
  blocksPerSM: true,
  evict: true,
});

const isCount = (x: unknown, most: number): boolean => typeof x === "number" && Number.isInteger(x) && x >= 1 && x <= most;

/** W2601, W7613. */
export function checkRowPlan(plan: RowPlan): void {
  checkOptions(plan, planOptions);
  const { threads, group, cluster = 1, keep = true, depth = 1, blocksPerSM = 1, evict = "first" } = plan;
  const refuse = (field: keyof RowPlan, expected: string): never =>
    fail("W7613", { field, given: display(plan[field]), expected });
  if (!isCount(threads, 1024) || threads % 32 !== 0) refuse("threads", "a multiple of 32 up to 1024");
  if (group !== "warp" && group !== "block") refuse("group", '"warp" or "block"');
  if (![1, 2, 4, 8].includes(cluster)) refuse("cluster", "1, 2, 4 or 8");
  if (group === "warp" && cluster !== 1) refuse("cluster", "1: warps have a row each");
  if (typeof keep !== "boolean") refuse("keep", "true or false");
  if (!isCount(depth, 16)) refuse("depth", "a whole number from 1 to 16");
  if (!isCount(blocksPerSM, 32)) refuse("blocksPerSM", "a whole number from 1 to 32");
  if (evict !== "first" && evict !== "noAllocate") refuse("evict", '"first" or "noAllocate"');
}
