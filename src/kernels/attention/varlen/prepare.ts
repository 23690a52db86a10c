import type { DeviceTensor } from "warpsmith";
import { type Begins, checkBegins } from "../begins.ts";
import { checkLogSumExp, checkOut } from "../check.ts";
import { checkPlan } from "../check-plan.ts";
import { choosePlan } from "../choose-plan.ts";
import { checkMaskOf } from "../mask/check.ts";
import { BlockMask } from "../mask/mask.ts";
import type { ScoreOptions } from "../options.ts";
import { ROWS } from "../plan.ts";
import { callsOf, type FlashArgs, kernelFor, mapOf, type Ready, ranksOf } from "../prepare.ts";
import { NEAR } from "../scores.ts";
import type { Rows } from "./check.ts";

/** What the author asks for. */
export interface VarlenOptions extends ScoreOptions {
  readonly cuSeqlens: Begins;
  readonly cuSeqlensKeys?: Begins;
  readonly out?: Rows;
  readonly logSumExp?: DeviceTensor<"f32", 2>;
}

/** What a launch was made for, the queries aside. */
export interface VarlenAsked extends VarlenOptions {
  readonly k: Rows;
  readonly v: Rows;
}

const none = Object.freeze({});

/** What plans are chosen for: lengths are data of the launch, and a plan is part of the kernel. */
const LIKELY_KEYS = 4096;

/** Rows of all sequences as the kernel has them, [1, heads, rows, d]: a view. */
const headsOf = (x: Rows) => x.reshape(1, x.shape[0], x.shape[1], x.shape[2]).transpose(0, 2, 1, 3);

/** Checks all but the operands, finds or makes the kernel, makes the tensor maps, and the memory where none is given. W7012, W76xx. */
export function prepareVarlen(q: Rows, asked: VarlenAsked): Ready<Rows> {
  const { k, v, causal = false, window, score, data, logSumExp, overlapPrevious: overlaps = false } = asked;
  const { cuSeqlens, cuSeqlensKeys } = asked;
  const [[queries, heads, d], [keys, kvHeads, dv]] = [q.shape, v.shape];
  checkBegins({ device: q.device, queries, keys, cuSeqlens, cuSeqlensKeys }, "attentionVarlen");
  const read = { q, k, v, ...data, cuSeqlens, ...(cuSeqlensKeys ? { cuSeqlensKeys } : {}) };
  if (asked.out !== undefined) checkOut(asked.out, q, dv, read);
  if (logSumExp !== undefined)
    checkLogSumExp(logSumExp, q, [heads, queries], { ...read, ...(asked.out ? { out: asked.out } : {}) });
  const about = {
    ...{ dtype: q.dtype, d, dv, causal, window, overlaps, packed: true, ragged: true },
    share: heads / kvHeads,
    scale: asked.scale ?? 1 / Math.sqrt(d),
    near: Math.max(queries, keys) < NEAR,
  };
  const mask = asked.mask instanceof BlockMask ? asked.mask : undefined;
  if (mask) checkMaskOf(mask, { queries, keys, heads, batches: 1, cuSeqlens, cuSeqlensKeys }, q.device);
  const block = mask?.block;
  if (asked.plan !== undefined) checkPlan(asked.plan, { ...about, block });
  const chosen = choosePlan({
    ...about,
    score: score !== undefined,
    data: data !== undefined,
    block,
    keys: LIKELY_KEYS,
  });
  // The machine hands out tiles of unequal lengths better than turns fixed before.
  const plan = asked.plan ?? { ...chosen, persistent: false };
  const kernel = kernelFor(about, plan, {
    ...{ score, scored: data && ranksOf(data), logs: logSumExp !== undefined },
    ...(mask ? { visible: mask.visible, ranks: mask.ranks, block } : {}),
  });
  const out = asked.out ?? (q.device.empty(q.dtype, [queries, heads, dv]) as Rows);
  const sequences = cuSeqlens.shape[0] - 1;
  const tiles = (Math.floor(queries / (plan.consumers * ROWS)) + sequences) * heads;
  const args = [
    ...[mapOf(headsOf(q), ROWS), mapOf(headsOf(k), plan.keys), mapOf(headsOf(v), plan.keys), mapOf(headsOf(out), ROWS)],
    logSumExp ? { to: logSumExp.reshape(1, heads, queries) } : none,
    ...(mask ? [mask.lists, mask.data] : [none, none]),
    { queries: cuSeqlens, keys: cuSeqlensKeys ?? cuSeqlens, rows: out },
    data ?? none,
    ...[queries, keys, heads, sequences, tiles],
  ];
  const grid = plan.persistent ? Math.min(tiles, q.device.multiprocessors) : tiles;
  return { kernel, args: args as FlashArgs, grid, out, ...callsOf(score) };
}
