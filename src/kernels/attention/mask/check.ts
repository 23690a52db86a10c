/** Refuses masks that attention cannot go by: W7046, W7601, W7012, W7662, W7663, W7666–W7668, W7690, W7691. */

import type { Device, DeviceTensor } from "warpsmith";
import { display } from "../../../base/diag/index.ts";
import { isSame } from "../../common/same-memory.ts";
import { checkTensor } from "../../common/tensors.ts";
import { fail } from "../../errors.ts";
import { type Begins, checkBegins } from "../begins.ts";
import type { MaskBlock } from "./list.ts";

/** How large a mask is. 1 head, or 1 batch, stands for all. */
export interface MaskSizes {
  readonly queries: number;
  readonly keys: number;
  readonly heads: number;
  readonly batches: number;
}

/** Where packed sequences begin: those of keys where they do so as queries do not. */
export interface MaskSequences {
  readonly cuSeqlens?: Begins | undefined;
  readonly cuSeqlensKeys?: Begins | undefined;
}

const refuse = (option: string, given: unknown, expected: string, required = false): never =>
  fail("W7046", { of: "attentionMask()", option, given: display(given), expected, required });

/** What a mask is made of. */
export function checkMask(device: Device, visible: unknown, sizes: MaskSizes, data: unknown, block: MaskBlock): void {
  if (typeof device !== "object" || device === null || !("multiprocessors" in device))
    refuse("device", device, "a device that openDevice() has opened, the first argument", true);
  if (typeof visible !== "function")
    refuse("visible", visible, "a function (query, key, head, batch, data) => boolean, the second argument", true);
  for (const [option, given] of Object.entries(sizes))
    if (!(Number.isInteger(given) && given >= 1 && given < 2 ** 31))
      refuse(option, given, "a whole number from 1", option === "queries" || option === "keys");
  for (const side of ["queries", "keys"] as const)
    if (![64, 128, 256].includes(block[side])) refuse(`block.${side}`, block[side], "64, 128 or 256", true);
  // Blocks of threads in the grid's second and third dimension.
  for (const option of ["heads", "batches"] as const) if (sizes[option] > 65_535) refuse(option, sizes[option], "at most 65535");
  if (typeof data !== "object" || data === null || Array.isArray(data)) refuse("data", data, "an object of tensors by name");
  for (const [name, tensor] of Object.entries(data as Readonly<Record<string, DeviceTensor>>)) {
    checkTensor(`data.${name}`, tensor, undefined, "attentionMask");
    if (tensor.device !== device) fail("W7012", { first: device.name, second: tensor.device.name });
  }
}

/** Where packed sequences begin, if they do. */
export function checkSequencesOf(
  device: Device,
  {
    queries,
    keys,
    batches,
    cuSeqlens,
    cuSeqlensKeys,
  }: MaskSequences & Omit<Partial<MaskSizes>, "queries" | "keys"> & Pick<MaskSizes, "queries" | "keys">,
): void {
  if (cuSeqlens === undefined) {
    if (cuSeqlensKeys !== undefined) fail("W7666", { option: "cuSeqlensKeys" });
    return;
  }
  if (batches !== undefined) fail("W7666", { option: "batches" });
  checkBegins({ device, queries, keys, cuSeqlens, cuSeqlensKeys }, "attentionMask");
}

/** That a mask is one of the sequences of a launch, or of none where they are not packed. */
function checkSequencesAre(mask: MaskSequences, asked: MaskSequences): void {
  if (!mask.cuSeqlens || !asked.cuSeqlens) {
    if (mask.cuSeqlens || asked.cuSeqlens) fail("W7667", { packed: mask.cuSeqlens !== undefined });
    return;
  }
  const keysOf = ({ cuSeqlens, cuSeqlensKeys }: MaskSequences) => cuSeqlensKeys ?? cuSeqlens;
  const [listed, given] = [keysOf(mask), keysOf(asked)];
  if (!isSame(mask.cuSeqlens, asked.cuSeqlens)) fail("W7668", { name: "cuSeqlens" });
  if (listed && given && !isSame(listed, given)) fail("W7668", { name: "cuSeqlensKeys" });
}

/** That a mask is of the sizes of a launch, and of its sequences. */
export function checkMaskOf(
  mask: MaskSizes & MaskSequences & { readonly counts: DeviceTensor },
  asked: MaskSizes & MaskSequences,
  device: Device,
): void {
  checkSequencesAre(mask, asked);
  const { heads, batches } = mask;
  const fits =
    mask.queries === asked.queries &&
    mask.keys === asked.keys &&
    (heads === 1 || heads === asked.heads) &&
    (batches === 1 || batches === asked.batches);
  const list = ({ queries, keys, heads, batches }: MaskSizes) => ({ queries, keys, heads, batches });
  if (!fits) fail("W7690", { mask: list(mask), asked: list(asked) });
  if (mask.counts.device !== device) fail("W7012", { first: device.name, second: mask.counts.device.name });
}
