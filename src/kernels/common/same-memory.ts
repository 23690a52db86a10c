import type { DeviceTensor } from "warpsmith";
import { sizeOf } from "./tensors.ts";

/** A tensor as memory: bytes from its first element to behind its last, and rows where it has them. */
interface Extent {
  readonly begin: bigint;
  readonly end: bigint;
  /** Bytes from row to row, and of a row. */
  readonly pitch: number;
  readonly width: number;
  /** Whether all rows are multiples of the pitch apart: where there are more than two dimensions, they may not be. */
  readonly regular: boolean;
}

function extentOf(tensor: DeviceTensor): Extent {
  const size = sizeOf(tensor);
  const dimensions = tensor.shape
    .map((extent, i) => ({ extent, stride: tensor.strides[i] ?? 1 }))
    .filter(({ extent }) => extent > 1)
    .toSorted((x, y) => x.stride - y.stride);
  const last = dimensions.reduce((sum, { extent, stride }) => sum + (extent - 1) * stride, 0);
  const [inner, outer, ...more] = dimensions;
  const begin = tensor.address();
  const end = begin + BigInt((last + 1) * size);
  const rows = inner?.stride === 1 && outer ? { pitch: outer.stride, width: inner.extent } : { pitch: last + 1, width: last + 1 };
  const regular = more.every(({ stride }) => stride % rows.pitch === 0);
  return { begin, end, pitch: rows.pitch * size, width: rows.width * size, regular };
}

/** Whether the bytes from the first element to the last of two tensors of any number of dimensions have one in common: they may share an element. */
export function mayOverlap(x: DeviceTensor, y: DeviceTensor): boolean {
  const [a, b] = [extentOf(x), extentOf(y)];
  return a.end > b.begin && b.end > a.begin;
}

/** Whether two tensors share an element. Of rows that are unequally far apart, whether they may. */
export function overlap(x: DeviceTensor, y: DeviceTensor): boolean {
  const [a, b] = [extentOf(x), extentOf(y)];
  if (a.end <= b.begin || b.end <= a.begin) return false;
  if (a.pitch !== b.pitch || !a.regular || !b.regular) return true;
  const pitch = BigInt(a.pitch);
  const column = Number((((b.begin - a.begin) % pitch) + pitch) % pitch);
  return column < a.width || column + b.width > a.pitch;
}

/** Whether two shapes, or the strides of two tensors, are the same. */
export const equal = (x: readonly number[], y: readonly number[]): boolean =>
  x.length === y.length && x.every((value, i) => value === y[i]);

/** Whether two tensors are the same elements in the same places. */
export const isSame = (x: DeviceTensor, y: DeviceTensor): boolean =>
  x.dtype === y.dtype && equal(x.shape, y.shape) && equal(x.strides, y.strides) && x.address() === y.address();

/** Operands of former calls by where they begin, the oldest first. */
const places = new Map<bigint, readonly DeviceTensor[]>();
/** How many places are remembered. */
const kept = 128;

/** Whether its memory is still the author's. */
function isAlive(tensor: DeviceTensor): boolean {
  try {
    tensor.address();
    return true;
  } catch {
    return false;
  }
}

/**
 * The tensor of a former call that is the same view of the same memory, else this one: `w.transpose(1, 0)` is another object each time
 * it is written, and what was prepared for it is not. W7006.
 */
export function knownOperand<T extends DeviceTensor>(tensor: T): T {
  const address = tensor.address();
  const here = places.get(address) ?? [];
  const found = here.find((t) => t === tensor || (t.device === tensor.device && isAlive(t) && isSame(t, tensor)));
  if (found) return found as T;
  // Moves the place to the end; views that are gone leave.
  places.delete(address);
  places.set(address, [tensor, ...here.filter(isAlive).slice(0, 3)]);
  const [oldest] = places.keys();
  if (places.size > kept && oldest !== undefined) places.delete(oldest);
  return tensor;
}
