/** What every function here asks of the tensors it is given: W7601, W7012. */

import type { DeviceTensor, DType } from "warpsmith";
import { display } from "../../base/diag/index.ts";
import { elementBytes } from "../../base/element-types.ts";
import { fail } from "../errors.ts";

/** What kernels compute with in f32. */
export type FloatType = "f16" | "bf16" | "f32";

/** Several names and values, as they are in an author's object. */
export type Tensors = Readonly<Record<string, DeviceTensor>>;

export const noTensors: Tensors = Object.freeze({});

/** Whether the tensors are those that they were, by their names. Nothing is allocated here. */
export function areSame(before: Tensors, tensors: Tensors): boolean {
  if (before === tensors) return true;
  let more = 0;
  for (const name in tensors) {
    if (before[name] !== tensors[name]) return false;
    more++;
  }
  for (const _ in before) more--;
  return more === 0;
}

/** Whether it is a tensor on a device. */
export const isTensor = (x: unknown): x is DeviceTensor =>
  typeof x === "object" && x !== null && "device" in x && "strides" in x && "address" in x;

/** A tensor in a message. */
export const describe = ({ dtype, shape }: DeviceTensor): string => `a tensor of ${dtype}, [${shape.join(", ")}]`;

const given = (value: unknown): string =>
  typeof value === "object" && value !== null && "strides" in value ? "a specification without memory" : display(value);

/** That it is a tensor on a device, of that many dimensions where a rank is asked for. `of`: the function that it is given to. W7601. */
export function checkTensor(name: string, value: unknown, rank?: number, of = "matmul"): void {
  const ofRank = (n: number): string => `a tensor of ${n} ${n === 1 ? "dimension" : "dimensions"}`;
  const kind = rank === undefined ? "a tensor" : rank === 2 ? "a matrix" : ofRank(rank);
  const expected = `${kind} on a device`;
  if (!isTensor(value)) fail("W7601", { name, of, given: given(value), expected });
  else if (rank !== undefined && value.rank !== rank) fail("W7601", { name, of, given: ofRank(value.rank), expected });
}

/** W7012. */
export function checkSameDevice(a: DeviceTensor, other: DeviceTensor): void {
  if (other.device !== a.device) fail("W7012", { first: a.device.name, second: other.device.name });
}

/** The bytes of an element. */
export const sizeOf = ({ dtype }: { readonly dtype: DType }): number => elementBytes[dtype];

/** The most bytes, up to 16, that divide where each row of a matrix begins. */
export function alignmentOf(matrix: DeviceTensor): number {
  const pitch = matrix.shape.length > 1 && (matrix.shape[0] ?? 1) > 1 ? (matrix.strides[0] ?? 0) * sizeOf(matrix) : 0;
  const low = Number(matrix.address() % 16n) | (pitch % 16) | 16;
  return low & -low;
}
