import type { Dims, DType, Shape, TensorSpec } from "../types.ts";
import { checkDType } from "./dtype.ts";
import { checkShape, rowMajorStrides } from "./shape.ts";

/** Shape and type without memory, row-major, for `compile` and `trace`. W7002, W7003. */
export function tensorSpec<D extends DType, const S extends Shape>(dtype: D, shape: S): TensorSpec<D, S["length"]> {
  checkDType(dtype);
  checkShape(shape);
  return {
    dtype,
    rank: shape.length,
    shape: [...shape] as readonly number[] as Dims<S["length"]>,
    strides: rowMajorStrides(shape) as readonly number[] as Dims<S["length"]>,
  };
}
