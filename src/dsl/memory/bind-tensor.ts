import { elementBytes } from "../../base/element-types.ts";
import type { DType, TensorSpec } from "../../base/types.ts";
import { first } from "../../ir/arith.ts";
import type { Value } from "../../ir/index.ts";
import type { Trace } from "../trace/trace.ts";
import { TensorObject } from "./tensor.ts";
import { byteExtent, typeOfDimension, wholeDimension } from "./tensor-dimensions.ts";
import type { Tensor } from "./types.ts";

/**
 * What stands for a tensor parameter in a kernel. `base` is its ptr.global; `staged` holds the extents and strides that the host
 * passes at launch, by dimension. `align`: bytes that divide every base address which the host may pass.
 */
export function bindTensor<D extends DType, R extends number>(
  trace: Trace,
  base: Value,
  spec: TensorSpec<D, R>,
  name: string,
  staged: { readonly shape: ReadonlyMap<number, Value>; readonly strides: ReadonlyMap<number, Value> } = {
    shape: new Map(),
    strides: new Map(),
  },
  align = 32,
): Tensor<D, R> {
  const shape: readonly number[] = spec.shape;
  const strides: readonly number[] = spec.strides;
  const dims = shape.map((extent, i) => wholeDimension(staged.shape.get(i) ?? extent, staged.strides.get(i) ?? strides[i] ?? 0));
  const extent = byteExtent(dims, elementBytes[spec.dtype]);
  const wide = extent === undefined || extent >= 2 ** 31;
  const type = { kind: "view", space: "global", dtype: spec.dtype, dims: dims.map(typeOfDimension), wide, align } as const;
  const open = (which: "extent" | "stride"): readonly Value[] =>
    dims.flatMap((d) => (typeof d[which] === "number" ? [] : [d[which]]));
  const operands = { ptr: base, extents: open("extent"), strides: open("stride") };
  const value = first(trace.emit("view.tensor", operands, {}, { types: [type] }));
  value.name = name;
  // The boundary, as for `asView`: the type and the rank are those of `spec`, and elements are read and written by the hooks of the transform.
  return new TensorObject({ value, type, name, dims }) as unknown as Tensor<D, R>;
}
