/** Refuses what attention for decoding cannot take, before anything runs: W764x, W7650, and W7012 for tensors of different devices. */

import type { DeviceTensor } from "warpsmith";
import { equal, mayOverlap } from "../../common/same-memory.ts";
import { checkSameDevice, checkTensor, describe, type Tensors } from "../../common/tensors.ts";
import { fail } from "../../errors.ts";
import { checkLines, checkTypes, hasKernel } from "../check.ts";
import type { HalfType } from "../problem.ts";
import { MOST_HEADS, mostRows, rowsOf } from "./plan.ts";
import { type DecodeAsked, type Queries, sizesOf } from "./prepare.ts";

type Cache = DeviceTensor<HalfType, 4>;

const of = "attentionDecode";

/** Queries, keys and values, and pages where there are some: W7601, W7640, W7642, W7643, W7650, W7652, W7660, W7012. */
function checkOperands(q: Queries, { k, v, pages }: DecodeAsked): void {
  checkTensor("The operand q", q, undefined, of);
  const { rank }: DeviceTensor = q;
  if (rank !== 3 && rank !== 4) {
    const given = `a tensor of ${rank} ${rank === 1 ? "dimension" : "dimensions"}`;
    fail("W7601", { name: "The operand q", of, given, expected: "a tensor of 3 or 4 dimensions on a device" });
  }
  for (const [name, x] of Object.entries({ k, v })) checkTensor(`The operand ${name}`, x, 4, of);
  if (pages !== undefined) checkTensor("pages", pages, 2, of);
  checkTypes(q, k, v, of);
  const { batches, queries, heads, d } = sizesOf(q);
  const [[kBatches, kHeads, keys, kd], [vBatches, vHeads, values, dv]] = [k.shape, v.shape];
  const alike = kBatches === vBatches && kHeads === vHeads && keys === values && kd === d;
  if (!alike || heads % kHeads !== 0 || (pages === undefined && kBatches !== batches))
    fail("W7650", { q: q.shape, k: k.shape, v: v.shape, paged: pages !== undefined });
  if (!hasKernel(d, dv)) fail("W7642", { of, d, dv });
  const share = heads / kHeads;
  if (share > MOST_HEADS) fail("W7652", { heads, kvHeads: kHeads });
  const rows = rowsOf({ queries, share });
  if (queries > 1 && rows.count > mostRows(dv))
    fail("W7660", { queries, share, dv, most: Math.max(1, Math.trunc(mostRows(dv) / rows.heads)) });
  for (const x of [k, v, ...(pages ? [pages] : [])]) checkSameDevice(q, x);
  for (const [name, x] of Object.entries({ q, k, v })) checkLines(name, x);
}

/** A tensor of numbers, or of what comes out: its type, its shape, where it lies. W7601, W7644, W7012. */
function checkGiven(name: string, x: DeviceTensor, q: Queries, dtype: string, shape: readonly number[]): void {
  checkTensor(name, x, shape.length, of);
  if (x.dtype !== dtype || !equal(x.shape, shape))
    fail("W7644", { name, given: describe(x), expected: `a tensor of ${dtype}, [${shape.join(", ")}]` });
  checkSameDevice(q, x);
}

/** How many keys a page has: 16, 32, 64, or a multiple of 128. W7653. */
function checkPages(q: Queries, pages: DeviceTensor<"i32", 2>, { shape: [, , size] }: Cache): void {
  checkGiven("pages", pages, q, "i32", [q.shape[0], pages.shape[1]]);
  if (![16, 32, 64].includes(size) && size % 128 !== 0) fail("W7653", { size });
}

/** That what is written shares no memory with what is read. W7645. */
function checkApart(name: string, written: DeviceTensor, others: Tensors): void {
  for (const [other, x] of Object.entries(others)) if (mayOverlap(written, x)) fail("W7645", { name, other });
}

/** All tensors of a call. W7601, W7012, W764x, W765x. */
export function checkDecode(q: Queries, asked: DecodeAsked): void {
  checkOperands(q, asked);
  const { k, v, out, lengths, pages, logSumExp } = asked;
  const { batches } = sizesOf(q);
  const rows = q.shape.slice(0, -1);
  if (pages !== undefined) checkPages(q, pages, k);
  if (lengths !== undefined) checkGiven("lengths", lengths, q, "i32", [batches]);
  const read: Tensors = { q, k, v, ...(lengths ? { lengths } : {}), ...(pages ? { pages } : {}) };
  if (out !== undefined) {
    checkGiven("out", out, q, q.dtype, [...rows, v.shape[3]]);
    checkLines("out", out);
    checkApart("out", out, read);
  }
  if (logSumExp === undefined) return;
  checkGiven("logSumExp", logSumExp, q, "f32", rows);
  checkApart("logSumExp", logSumExp, { ...read, ...(out ? { out } : {}) });
}
