/** Refuses packed sequences that attention cannot take, before anything runs: W7601, W764x, W7661–W7663, and W7012 for tensors of different devices. */
import type { DeviceTensor } from "warpsmith";
import { fail } from "../../../diag/index.ts";
import { equal } from "../../common/same-memory.ts";
import { checkSameDevice, checkTensor, describe } from "../../common/tensors.ts";
import { checkLines, checkSizes, checkTypes } from "../check.ts";
import type { HalfType } from "../problem.ts";

export type Rows = DeviceTensor<HalfType, 3>;
export type Begins = DeviceTensor<"i32", 1>;

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

/** Where sequences begin: W7601, W7662, W7012. */
function checkBegins(name: string, begins: Begins, q: Rows, count?: number): void {
  checkTensor(name, begins, 1, of);
  const fits = begins.dtype === "i32" && begins.shape[0] >= 2 && begins.strides[0] === 1;
  if (!fits || (count !== undefined && begins.shape[0] !== count)) fail("W7662", { name, given: describe(begins), count });
  checkSameDevice(q, begins);
}

/** Where sequences of queries and of keys begin: W7601, W7662, W7663, W7012. */
export function checkSequences(q: Rows, k: Rows, queries: Begins, keys: Begins | undefined): void {
  checkBegins("cuSeqlens", queries, q);
  if (keys !== undefined) checkBegins("cuSeqlensKeys", keys, q, queries.shape[0]);
  else if (!equal(q.shape.slice(0, 1), k.shape.slice(0, 1))) fail("W7663", { queries: q.shape[0], keys: k.shape[0] });
}
