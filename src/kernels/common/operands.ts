/** What functions over rows and elements ask of their tensors: W7601, W7616–W7619, W7012. */

import { type DeviceTensor, type DType, WarpsmithError } from "warpsmith";
import { fail } from "../errors.ts";
import { equal, isSame, overlap } from "./same-memory.ts";
import { alignmentOf, checkSameDevice, checkTensor, describe, sizeOf } from "./tensors.ts";

export const floats: readonly DType[] = ["f16", "bf16", "f32"];

/** What a tensor has to be; what is left out may be anything. */
export interface Expected {
  readonly dtypes?: readonly string[];
  readonly shape?: readonly number[];
}

/** W7601, W7616. */
export function checkOperand(of: string, name: string, tensor: unknown, { dtypes = floats, shape }: Expected = {}): void {
  checkTensor(name, tensor, undefined, of);
  const given = tensor as DeviceTensor;
  if (dtypes.includes(given.dtype) && (!shape || equal(given.shape, shape))) return;
  const [last, rest] = [dtypes.at(-1) ?? "", dtypes.slice(0, -1).join(", ")];
  const types = `a tensor of ${rest ? `${rest} or ${last}` : last}`;
  fail("W7616", { name, of, given: describe(given), expected: shape ? `${types}, [${shape.join(", ")}]` : types });
}

/** All axes but the last as one: rows whose elements are neighbours. W7617, W7710. */
export function asRows<T extends DType>(of: string, name: string, tensor: DeviceTensor<T>): DeviceTensor<T, 2> {
  const { shape, strides } = tensor;
  const columns = shape.at(-1) ?? 1;
  if (columns > 1 && strides.at(-1) !== 1) fail("W7617", { name, of, shape, strides });
  checkNumbers(of, columns, `elements in a row of ${name}`);
  if (shape.length === 2) return tensor as DeviceTensor<T, 2>;
  return reshaped(of, name, tensor, [shape.slice(0, -1).reduce((n, extent) => n * extent, 1), columns]) as DeviceTensor<T, 2>;
}

/** The shape of one number for each row. */
export const leadingShape = ({ shape }: DeviceTensor): readonly number[] => (shape.length > 1 ? shape.slice(0, -1) : [1]);

/** As one axis: one number for each row. W7617. */
export const asColumn = (of: string, name: string, tensor: DeviceTensor): DeviceTensor<never, 1> =>
  reshaped(of, name, tensor, [tensor.shape.reduce((n, extent) => n * extent, 1)]) as DeviceTensor<never, 1>;

function reshaped(of: string, name: string, tensor: DeviceTensor, shape: readonly number[]): DeviceTensor {
  try {
    return tensor.reshape(...shape);
  } catch (error) {
    if (!(error instanceof WarpsmithError) || error.code !== "W7010") throw error;
    return fail("W7617", { name, of, shape: tensor.shape, strides: tensor.strides });
  }
}

/** What is read, by names. */
type Read = Readonly<Record<string, DeviceTensor | undefined>>;

/** That what is written is no part of what is read; `inPlace` may be exactly it. W7012, W7618, W7619. */
export function checkWritten(of: string, name: string, written: DeviceTensor, inPlace: Read, others: Read = {}): void {
  for (const [read, tensor] of [...Object.entries(inPlace), ...Object.entries(others)]) {
    if (!tensor) continue;
    checkSameDevice(tensor, written);
    if (!overlap(written, tensor)) continue;
    if (!(read in inPlace)) fail("W7619", { out: name, name: read, of });
    if (!isSame(written, tensor)) fail("W7618", { out: name, name: read, of });
  }
}

/** The most neighbours that a thread moves at a time: they divide a row, and lie alike in all tensors. */
export function vectorOf(columns: number, matrices: readonly DeviceTensor[], lines: readonly DeviceTensor[] = []): number {
  const fits = (vector: number): boolean =>
    columns % vector === 0 &&
    matrices.every((matrix) => alignmentOf(matrix) >= vector * sizeOf(matrix)) &&
    lines.every((line) => alignmentOf(line) >= Math.min(16, vector * sizeOf(line)));
  return [8, 4, 2].find((vector) => matrices.every((matrix) => vector * sizeOf(matrix) <= 16) && fits(vector)) ?? 1;
}

/** Threads number what they share in i32, in the last block beyond the end, too. */
export const mostNumbers = 2 ** 31 - 2 ** 16;

/** W7710. */
export function checkNumbers(of: string, count: number, what: string): void {
  if (count > mostNumbers) fail("W7710", { of, count, what, most: mostNumbers });
}
