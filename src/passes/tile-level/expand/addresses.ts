/** Addresses of elements in tensors and in shared memory, swizzled. The emulator has its own, from the manual: emulator/machine/units/swizzle.ts. */

import { elementBytes } from "../../../base/element-types.ts";
import { add, and, constant, counted, countType, first, type IntType, mul, shr, toInt, xor } from "../../../ir/arith.ts";
import type { Emitter, Value } from "../../../ir/index.ts";
import { patternBytes, swizzleBits, swizzled, swizzleMask, type ViewSwizzle } from "../../../layout/modes/index.ts";
import { type IndexValue, type Offset, plus, splitSum } from "./offset.ts";
import type { SharedParts, TensorDimension, TensorParts } from "./parts.ts";
import type { Writer } from "./writer.ts";

/** An address, and static bytes from there, for the instruction to add. */
export interface Address {
  readonly ptr: Value;
  readonly offset: number;
}

export const pointer = (e: Emitter, base: Value, by: Value | number): Value =>
  by === 0 ? base : e.once("ptr.add", { ptr: base, by: typeof by === "number" ? constant(e, by, "i32") : by }, {});

/** The swizzle of a staged byte offset from the beginning of a pattern. */
export function swizzleValue(e: Emitter, offset: Value, swizzle: ViewSwizzle): Value {
  const mask = swizzleMask(swizzle);
  return mask === 0 ? offset : xor(e, offset, and(e, shr(e, offset, swizzleBits(swizzle).shift), mask));
}

/** The address of the element at that offset of a buffer, swizzled. */
export function sharedAddress(e: Emitter, { base, type: { swizzle } }: SharedParts, offset: Offset): Address {
  if (!offset.staged) return { ptr: base, offset: swizzled(offset.fixed, swizzle) };
  if (swizzle === "none") return { ptr: pointer(e, base, offset.staged), offset: offset.fixed };
  const pattern = patternBytes(swizzle);
  const low = ((offset.fixed % pattern) + pattern) % pattern;
  return { ptr: pointer(e, base, swizzleValue(e, add(e, offset.staged, low), swizzle)), offset: offset.fixed - low };
}

/** Where a view of this block's own memory begins, without its swizzle: a view that TMA or wgmma uses begins where a pattern's row 0 does. */
export function viewPointer(e: Emitter, { base, offset: { fixed, staged } }: SharedParts): Value {
  return pointer(e, staged ? pointer(e, base, staged) : base, fixed);
}

/** The address so many bytes from a tensor's beginning. */
export function tensorAddress(e: Emitter, { base, offsetType }: TensorParts, { fixed, staged }: Offset): Address {
  const small = fixed >= (offsetType === "i32" ? 0 : -(2 ** 31)) && fixed < 2 ** 31;
  if (!staged) {
    if (small) return { ptr: base, offset: fixed };
    return { ptr: e.once("ptr.add", { ptr: base, by: constant(e, BigInt(fixed), "i64") }, {}), offset: 0 };
  }
  return small ? { ptr: pointer(e, base, staged), offset: fixed } : { ptr: pointer(e, base, add(e, staged, fixed)), offset: 0 };
}

/** `i` times `stride` elements of `bytes`, in bytes. */
function stepOffset(w: Writer, i: IndexValue, stride: IndexValue, bytes: number, type: IntType): Offset {
  if (typeof i === "number" && typeof stride === "number") return { fixed: i * stride * bytes, staged: undefined };
  if (i === 0) return { fixed: 0, staged: undefined };
  if (typeof stride === "number") {
    if (stride === 0) return { fixed: 0, staged: undefined };
    const { fixed, staged } = type === "i32" ? splitSum(w, i as Value) : { fixed: 0, staged: i as Value };
    return { fixed: fixed * stride * bytes, staged: staged && mul(w, toInt(w, staged, type), stride * bytes) };
  }
  const wide = toInt(w, stride, type);
  const count = typeof i === "number" ? mul(w, wide, i) : first(w.emit("mul", { a: toInt(w, i, type), b: wide }, {}));
  return { fixed: 0, staged: mul(w, count, bytes) };
}

/** Bytes from the first element of a tensor's part to index `i` of dimension `d`. */
export const tensorStep = (w: Writer, { dims, dtype, offsetType }: TensorParts, d: number, i: IndexValue): Offset =>
  stepOffset(w, i, dims[d]?.stride ?? 0, elementBytes[dtype], offsetType);

/** A part of a tensor further on in one dimension. */
export const movedDimension = (w: Writer, dim: TensorDimension, start: IndexValue): TensorDimension => {
  const moved: Offset =
    typeof start === "number"
      ? { fixed: start, staged: undefined }
      : { fixed: 0, staged: counted(w, start, countType(dim.limit)) };
  return { ...dim, begin: plus(w, dim.begin, moved) };
};
