/** Refuses packed sequences that attention cannot take, before anything runs: W7601, W764x, W7661, and W7012 for tensors of different devices. */

import type { DeviceTensor } from "warpsmith";
import { checkSameDevice, checkTensor } from "../../common/tensors.ts";
import { fail } from "../../errors.ts";
import { checkLines, checkSizes, checkTypes } from "../check.ts";
import type { HalfType } from "../problem.ts";

export type Rows = DeviceTensor<HalfType, 3>;

const of = "attentionVarlen";

/** Queries, keys and values: W7601, W7640, W7642, W7643, W7661, W7012. */
export function checkRows(q: Rows, k: Rows, v: Rows): void {
  for (const [name, x] of Object.entries({ q, k, v })) checkTensor(`The operand ${name}`, x, 3, of);
  checkTypes(q, k, v, of);
  const [[, heads, d], [keys, kHeads, kd], [values, vHeads, dv]] = [q.shape, k.shape, v.shape];
  if (kHeads !== vHeads || keys !== values || kd !== d || heads % kHeads !== 0)
    fail("W7661", { q: q.shape, k: k.shape, v: v.shape });
  checkSizes(d, dv, of);
  for (const x of [k, v]) checkSameDevice(q, x);
  for (const [name, x] of Object.entries({ q, k, v })) checkLines(name, x);
}
