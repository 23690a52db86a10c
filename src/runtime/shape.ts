import { refuseMore } from "../base/diag/index.ts";
import type { Dims, DType, Shape, TensorSpec } from "../base/types.ts";
import { checkDType } from "./dtype.ts";
import { fail } from "./errors/index.ts";

/** Refuses extents that are not whole numbers from 1, no extents at all, and more than doubles count. W7003, W7056. */
export function checkShape(shape: Shape): void {
  if (!Array.isArray(shape) || shape.length === 0)
    fail("W7003", {
      shape: Array.isArray(shape) ? shape : [],
      extent: "missing",
      number: typeof shape === "number" ? shape : undefined,
    });
  for (const extent of shape) if (!Number.isSafeInteger(extent) || extent < 1) fail("W7003", { shape, extent });
  if (!Number.isSafeInteger(countElements(shape) * mostElementBytes)) fail("W7056", { shape });
}

const mostElementBytes = 8;

export const countElements = (shape: Shape): number => shape.reduce((count, extent) => count * extent, 1);

/** Elements between neighbours of a tensor without gaps, the last dimension fastest. */
export function rowMajorStrides(shape: Shape): number[] {
  const strides: number[] = new Array(shape.length);
  let stride = 1;
  for (let i = shape.length - 1; i >= 0; i--) {
    strides[i] = stride;
    stride *= shape[i] ?? 1;
  }
  return strides;
}

/** Whether the elements follow each other in row-major order. The stride of a dimension of extent 1 says nothing. */
export function isRowMajor(shape: Shape, strides: Shape): boolean {
  const dense = rowMajorStrides(shape);
  return shape.every((extent, i) => extent === 1 || strides[i] === dense[i]);
}

/** The strides of the same elements in another shape of as many; undefined where those of a dimension would not lie at regular distances. */
export function reshapedStrides(shape: Shape, strides: Shape, to: Shape): number[] | undefined {
  // Dimensions that follow each other without gaps are one, the innermost last.
  const runs: { count: number; stride: number }[] = [];
  for (const [i, extent] of shape.entries()) {
    const [stride, last] = [strides[i] ?? 0, runs.at(-1)];
    if (extent === 1) continue;
    if (last?.stride === extent * stride) runs[runs.length - 1] = { count: last.count * extent, stride };
    else runs.push({ count: extent, stride });
  }
  let { count, stride } = runs.pop() ?? { count: 1, stride: 1 };
  const found: number[] = [];
  for (const extent of to.toReversed()) {
    if (extent > 1 && count === 1) ({ count, stride } = runs.pop() ?? { count, stride });
    if (count % extent !== 0) return undefined;
    found.unshift(stride);
    count /= extent;
    stride *= extent;
  }
  return found;
}

/** Elements from the first one of a view to behind its last one. */
export const spanElements = (shape: Shape, strides: Shape): number =>
  shape.reduce((last, extent, i) => last + (extent - 1) * (strides[i] ?? 0), 0) + 1;

/** A view in the order of memory: its dimensions by falling stride, cut into runs of neighbouring elements. */
export interface MemoryOrder {
  /** Which dimension of the view stands where. */
  readonly order: readonly number[];
  /** Elements per run. */
  readonly run: number;
  /** Where each run begins, in elements from the view's first one. */
  readonly starts: readonly number[];
}

export function memoryOrder(shape: Shape, strides: Shape): MemoryOrder {
  const order = shape.map((_, i) => i).sort((a, b) => (strides[b] ?? 0) - (strides[a] ?? 0) || a - b);
  let run = 1;
  let outer = order.length;
  while (outer > 0) {
    const dimension = order[outer - 1] ?? 0;
    const extent = shape[dimension] ?? 1;
    if (extent !== 1 && strides[dimension] !== run) break;
    run *= extent;
    outer--;
  }
  let starts = [0];
  for (const dimension of order.slice(0, outer)) {
    const extent = shape[dimension] ?? 1;
    const stride = strides[dimension] ?? 0;
    starts = starts.flatMap((start) => Array.from({ length: extent }, (_, i) => start + i * stride));
  }
  return { order, run, starts };
}

const lanes = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: BigUint64Array } as const;

/** The elements of a strided view, in row-major order, as new bytes. `source` begins at the view's first element and is aligned to them. */
export function gather(source: Uint8Array, elementBytes: 1 | 2 | 4 | 8, shape: Shape, strides: Shape): Uint8Array {
  const count = countElements(shape);
  const bytes = new Uint8Array(count * elementBytes);
  const Lane = lanes[elementBytes];
  const from = new Lane(source.buffer as ArrayBuffer, source.byteOffset, Math.floor(source.byteLength / elementBytes));
  const to = new Lane(bytes.buffer);
  const inner = shape.length - 1;
  const extent = shape[inner] ?? 1;
  const stride = strides[inner] ?? 1;
  const index = shape.map(() => 0);
  let start = 0;
  for (let at = 0; at < count; ) {
    for (let i = 0, element = start; i < extent; i++, element += stride) to[at++] = from[element] ?? 0;
    start = advance(index, shape, strides, start);
  }
  return bytes;
}

/** Steps the outer indices of a row-major walk and gives the next row's first element. */
function advance(index: number[], shape: Shape, strides: Shape, start: number): number {
  let next = start;
  for (let d = shape.length - 2; d >= 0; d--) {
    const i = (index[d] ?? 0) + 1;
    const stride = strides[d] ?? 0;
    if (i < (shape[d] ?? 1)) {
      index[d] = i;
      return next + stride;
    }
    index[d] = 0;
    next -= (i - 1) * stride;
  }
  return next;
}

/**
 * Shape and type without memory, row-major, for `compile` and `trace`. W7002, W7003.
 *
 * @example
 * ```ts
 * const copy = kernel({ block: 32, grid: 1 }, (x: Tensor<"f32", 1>, y: Tensor<"f32", 1>) => {
 *   y[threadIdx.x] = x[threadIdx.x]!;
 * });
 * const x = tensorSpec("f32", [32]);
 * console.log(copy.compile(x, x).ptx.includes(".target sm_90a")); // true
 * ```
 */
export function tensorSpec<D extends DType, const S extends Shape>(dtype: D, shape: S): TensorSpec<D, S["length"]> {
  refuseMore(tensorSpec, arguments);
  checkDType(dtype);
  checkShape(shape);
  return {
    dtype,
    rank: shape.length,
    shape: [...shape] as readonly number[] as Dims<S["length"]>,
    strides: rowMajorStrides(shape) as readonly number[] as Dims<S["length"]>,
  };
}
