/** Refuses begins of packed sequences that are no begins: W7601, W7662, W7663, and W7012 for tensors of different devices. */

import type { Device, DeviceTensor } from "warpsmith";
import { checkTensor, describe } from "../common/tensors.ts";
import { fail } from "../errors.ts";

/** Where sequences begin, and where the last one ends. */
export type Begins = DeviceTensor<"i32", 1>;

/** Those of queries and those of keys, and how many rows there are of both. */
export interface PackedRows {
  readonly device: Device;
  readonly queries: number;
  readonly keys: number;
  readonly cuSeqlens: Begins;
  readonly cuSeqlensKeys?: Begins | undefined;
}

function checkTensorOfBegins(name: string, begins: Begins, device: Device, of: string, count?: number): void {
  checkTensor(name, begins, 1, of);
  const fits = begins.dtype === "i32" && begins.shape[0] >= 2 && begins.strides[0] === 1;
  if (!fits || (count !== undefined && begins.shape[0] !== count)) fail("W7662", { name, given: describe(begins), count });
  if (begins.device !== device) fail("W7012", { first: device.name, second: begins.device.name });
}

/** Where sequences of queries and of keys begin, given to the function `of`. */
export function checkBegins({ device, queries, keys, cuSeqlens, cuSeqlensKeys }: PackedRows, of: string): void {
  checkTensorOfBegins("cuSeqlens", cuSeqlens, device, of);
  if (cuSeqlensKeys !== undefined) checkTensorOfBegins("cuSeqlensKeys", cuSeqlensKeys, device, of, cuSeqlens.shape[0]);
  else if (queries !== keys) fail("W7663", { queries, keys });
}
