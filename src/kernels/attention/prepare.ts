import { type DeviceTensor, TMA } from "warpsmith";
import { frozenCopy } from "../common/frozen.ts";
import type { Ready as ReadyCall } from "../common/launches.ts";
import { type Kept, madeOnce } from "../common/made.ts";
import type { Tensors } from "../common/tensors.ts";
import { checkLogSumExp, checkOut } from "./check.ts";
import { checkPlan } from "./check-plan.ts";
import { choosePlan } from "./choose-plan.ts";
import { type Functions, makeFlash } from "./flash.ts";
import { checkMaskOf } from "./mask/check.ts";
import { BlockMask } from "./mask/mask.ts";
import type { Asked } from "./options.ts";
import { type Plan, panelOf, ROWS } from "./plan.ts";
import type { HalfType, Problem } from "./problem.ts";
import { NEAR } from "./scores.ts";

type Heads = DeviceTensor<HalfType, 4>;
export type FlashKernel = ReturnType<typeof makeFlash>;
export type FlashArgs = Parameters<FlashKernel["launch"]> extends [unknown, ...infer Args] ? Args : never;

const none = Object.freeze({});

/** A call that is ready to be launched. */
export interface Ready<O extends DeviceTensor = DeviceTensor<HalfType>> extends ReadyCall {
  readonly kernel: FlashKernel;
  readonly args: FlashArgs;
  readonly grid: number;
  readonly out: O;
}

/** The author's function that the kernel calls. */
export const callsOf = (score: unknown): Pick<Ready, "calls"> =>
  score === undefined ? {} : { calls: { fn: score, what: "score function" } };

/** How many dimensions each tensor has. */
export const ranksOf = (tensors: Tensors) => Object.fromEntries(Object.entries(tensors).map(([name, { rank }]) => [name, rank]));

export function kernelFor(problem: Problem, plan: Plan, functions: Functions): FlashKernel {
  const make = (kept: Kept) => makeFlash(frozenCopy(problem), frozenCopy(plan), frozenCopy(functions), kept);
  const key = ["attention()", problem, plan, functions.ranks, functions.scored, functions.logs, functions.block];
  return madeOnce(key, make, functions.score, functions.visible);
}

/** A tensor map whose box has so many rows of one head. */
export function mapOf(x: Heads, rows: number): TMA<HalfType, 4> {
  const { width, swizzle } = panelOf(x.shape[3]);
  return new TMA(x, { box: [1, 1, rows, width], swizzle });
}

/** Checks all but the operands, finds or makes the kernel, makes the tensor maps, and the memory where none is given. W7012, W76xx. */
export function prepare(q: Heads, asked: Asked): Ready<Heads> {
  const { k, v, causal = false, window, score, data, logSumExp, overlapPrevious: overlaps = false } = asked;
  const [[batches, heads, queries, d], [, kvHeads, keys, dv]] = [q.shape, v.shape];
  // A block has read the queries that it overwrites, and no other block reads them.
  if (asked.out !== undefined) checkOut(asked.out, q, dv, { q, k, v, ...data }, q);
  const read = { q, k, v, ...data, ...(asked.out ? { out: asked.out } : {}) };
  if (logSumExp !== undefined) checkLogSumExp(logSumExp, q, [batches, heads, queries], read);
  const about = {
    dtype: q.dtype,
    d,
    dv,
    share: heads / kvHeads,
    scale: asked.scale ?? 1 / Math.sqrt(d),
    causal,
    window,
    overlaps,
    packed: false,
  };
  const mask = asked.mask instanceof BlockMask ? asked.mask : undefined;
  if (mask) checkMaskOf(mask, { queries, keys, heads, batches }, q.device);
  const block = mask?.block;
  if (asked.plan !== undefined) checkPlan(asked.plan, { ...about, block });
  const plan = asked.plan ?? choosePlan({ ...about, score: score !== undefined, data: data !== undefined, block, keys });
  const kernel = kernelFor({ ...about, ragged: keys % plan.keys !== 0, near: Math.max(queries, keys) < NEAR }, plan, {
    ...{ score, scored: data && ranksOf(data) },
    ...(mask ? { visible: mask.visible, ranks: mask.ranks, block } : {}),
  });
  const out = asked.out ?? (q.device.empty(q.dtype, [batches, heads, queries, dv]) as Heads);
  const tiles = Math.ceil(queries / (plan.consumers * ROWS)) * heads * batches;
  const args = [
    ...[mapOf(q, ROWS), mapOf(k, plan.keys), mapOf(v, plan.keys), mapOf(out, ROWS)],
    logSumExp ? { to: logSumExp } : none,
    ...(mask ? [mask.lists, mask.data] : [none, none]),
    ...[none, data ?? none],
    ...[queries, keys, heads, batches, tiles],
  ];
  const grid = plan.persistent ? Math.min(tiles, q.device.multiprocessors) : tiles;
  return { kernel, args: args as FlashArgs, grid, out, ...callsOf(score) };
}
