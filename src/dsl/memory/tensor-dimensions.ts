/** The dimensions of a tensor and of its parts: what of them is known while tracing, and where in the tensor they lie. */

import type { TensorDim } from "../../ir/index.ts";
import type { IndexSum, IndexValue } from "./index-value.ts";

/** A dimension of a tensor: extent and stride in elements, each static or an i32 on the GPU. */
export interface TensorDimension {
  readonly extent: IndexValue;
  readonly stride: IndexValue;
  /** Where this part begins in the tensor's own dimension (known with `debug` alone), and that dimension's extent. */
  readonly begin: IndexSum;
  readonly limit: IndexValue;
}

/** Where it is known while tracing. */
export const known = (n: IndexValue): number | undefined => (typeof n === "number" ? n : undefined);
/** As it stands in the type of a view. */
export const typeOfDimension = ({ extent, stride, limit }: TensorDimension): TensorDim => ({
  extent: known(extent),
  stride: known(stride),
  limit: known(limit),
});

/** Does a part keep the dimension of the tensor from its beginning to its end? */
export const isWhole = ({ extent, begin, limit }: TensorDimension): boolean =>
  begin.fixed === 0 && begin.staged === undefined && extent === limit;

/** Does a part surely lie in its dimension of the tensor? */
export const surelyInside = ({ extent, begin, limit }: TensorDimension): boolean =>
  typeof extent === "number" &&
  typeof limit === "number" &&
  begin.staged === undefined &&
  begin.fixed >= 0 &&
  begin.fixed + extent <= limit;

/** One that is no part of another. */
export const wholeDimension = (extent: IndexValue, stride: IndexValue): TensorDimension => ({
  extent,
  stride,
  begin: { fixed: 0, staged: undefined },
  limit: extent,
});

/** Bytes from the first to after the last element; undefined where they are not static. */
export function byteExtent(dims: readonly TensorDimension[], bytes: number): number | undefined {
  let elements = 1;
  for (const { extent, stride } of dims) {
    if (typeof extent !== "number" || typeof stride !== "number" || stride < 0) return undefined;
    elements += (extent - 1) * stride;
  }
  return elements * bytes;
}
