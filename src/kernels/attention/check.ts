/** Refuses what attention cannot take, before anything runs: W764x, and W7012 for tensors of different devices. */

import type { Device, DeviceTensor } from "warpsmith";
import { display } from "../../base/diag/index.ts";
import { equal, isSame, mayOverlap } from "../common/same-memory.ts";
import { checkSameDevice, checkTensor, describe, type Tensors } from "../common/tensors.ts";
import { fail } from "../errors.ts";
import { BlockMask } from "./mask/mask.ts";
import type { Options } from "./options.ts";
import type { HalfType } from "./problem.ts";

type Heads = DeviceTensor<HalfType, 4>;
type HalfTensor = DeviceTensor<HalfType, 3 | 4>;

const isPositive = (x: unknown): boolean => typeof x === "number" && Number.isFinite(x) && x > 0;

/** The options that are no tensors: W7046. */
export function checkChoices(
  options: Pick<Options, "causal" | "window" | "scale" | "score" | "data" | "mask" | "overlapPrevious">,
  of: string,
): void {
  const refuse = (option: string, given: unknown, expected: string) =>
    fail("W7046", { of, option, given: display(given), expected });
  const { causal, window, scale, score, data, mask, overlapPrevious } = options;
  for (const [option, given] of Object.entries({ causal, overlapPrevious }))
    if (given !== undefined && typeof given !== "boolean") refuse(option, given, "true or false");
  if (window !== undefined && !(Number.isInteger(window) && window >= 1 && window < 2 ** 31))
    refuse("window", window, "a whole number from 1");
  if (scale !== undefined && !isPositive(scale)) refuse("scale", scale, "a number above 0");
  if (mask !== undefined && !(mask instanceof BlockMask)) refuse("mask", mask, "a mask that attentionMask() has made");
  for (const [option, given] of Object.entries({ causal, window }))
    if (mask !== undefined && given !== undefined && given !== false)
      fail("W7691", { option, ahead: mask.cuSeqlensKeys ? undefined : mask.keys - mask.queries });
  if (score !== undefined && typeof score !== "function")
    refuse("score", score, "a function (score, query, key, head, batch, data) => number");
  if (data !== undefined && (typeof data !== "object" || data === null || Array.isArray(data)))
    refuse("data", data, "an object of tensors by name");
}

/** What the function of scores looks at: W7601, W7664, W7012. */
export function checkData({ score, data }: Pick<Options, "score" | "data">, device: Device): void {
  if (data === undefined) return;
  if (score === undefined) fail("W7664", { names: Object.keys(data) });
  for (const [name, tensor] of Object.entries(data)) {
    checkTensor(`data.${name}`, tensor, undefined, "attention");
    if (tensor.device !== device) fail("W7012", { first: device.name, second: tensor.device.name });
  }
}

/** Sizes of heads that there are kernels for: of queries and keys, and of values. */
const sizes: readonly (readonly [d: number, dv: number])[] = [
  [64, 64],
  [96, 96],
  [128, 128],
  [192, 128],
  [256, 256],
];
export const hasKernel = (d: number, dv: number): boolean => sizes.some(([one, ofValues]) => one === d && ofValues === dv);

/** That TMA can load it, or store to it: W7643. */
export function checkLines(name: string, tensor: HalfTensor): void {
  const { shape, strides } = tensor;
  const beyond = Number(tensor.address() % 16n);
  const apart = strides.slice(0, -1).every((stride, i) => shape[i] === 1 || stride % 8 === 0);
  if (strides.at(-1) !== 1 || !apart || beyond !== 0) fail("W7643", { name, strides, beyond });
}

/** W7640. */
export function checkTypes(q: HalfTensor, k: HalfTensor, v: HalfTensor, of: string): void {
  const types = [q.dtype, k.dtype, v.dtype];
  if (types.some((type) => type !== q.dtype) || (q.dtype !== "f16" && q.dtype !== "bf16")) fail("W7640", { of, types });
}

/** W7642. */
export function checkSizes(d: number, dv: number, of: string): void {
  if (!hasKernel(d, dv)) fail("W7642", { of, d, dv });
}

/** Queries, keys and values: W7601, W7640–W7643, W7012. */
export function checkOperands(q: Heads, k: Heads, v: Heads): void {
  for (const [name, x] of Object.entries({ q, k, v })) checkTensor(`The operand ${name}`, x, 4, "attention");
  checkTypes(q, k, v, "attention");
  const [[batches, heads, , d], [kBatches, kHeads, keys, kd], [vBatches, vHeads, values, dv]] = [q.shape, k.shape, v.shape];
  const fits = kBatches === batches && vBatches === batches && kHeads === vHeads && keys === values && kd === d;
  if (!fits || heads % kHeads !== 0) fail("W7641", { q: q.shape, k: k.shape, v: v.shape });
  checkSizes(d, dv, "attention");
  checkSameDevice(q, k);
  checkSameDevice(q, v);
  for (const [name, x] of Object.entries({ q, k, v })) checkLines(name, x);
}

/** Where the result goes, rows of `dv`; `read`: the tensors that it shares no memory with, but that it may be `itself`. W7601, W7643–W7645, W7012. */
export function checkOut(out: HalfTensor, q: HalfTensor, dv: number, read: Tensors, itself?: HalfTensor): void {
  checkTensor("out", out, q.rank, "attention");
  const shape = [...q.shape.slice(0, -1), dv];
  if (out.dtype !== q.dtype || !equal(out.shape, shape))
    fail("W7644", { name: "out", given: describe(out), expected: `a tensor of ${q.dtype}, [${shape.join(", ")}]` });
  checkSameDevice(q, out);
  checkLines("out", out);
  for (const [name, operand] of Object.entries(read)) {
    if (mayOverlap(out, operand) && !(operand === itself && isSame(out, operand))) fail("W7645", { name: "out", other: name });
  }
}

/** Where the logarithms go, and of which shape they are; `others`: the tensors that they share no memory with. W7601, W7644, W7645, W7012. */
export function checkLogSumExp(sums: DeviceTensor<"f32">, q: HalfTensor, shape: readonly number[], others: Tensors): void {
  checkTensor("logSumExp", sums, shape.length, "attention");
  if (sums.dtype !== "f32" || !equal(sums.shape, shape))
    fail("W7644", { name: "logSumExp", given: describe(sums), expected: `a tensor of f32, [${shape.join(", ")}]` });
  checkSameDevice(q, sums);
  for (const [other, tensor] of Object.entries(others)) if (mayOverlap(sums, tensor)) fail("W7645", { name: "logSumExp", other });
}
