/** `tensormap.replace` (PTX ISA 9.7.9.28): one field of a tensor map, in the encoding of the instruction (its table of new values). */
import { fail } from "../../../diag/index.ts";
import type { DType } from "../../../types.ts";
import { KernelFault } from "../fault.ts";
import { flagAt, isSealed, mapAt, mapBytes, mapValues, seal, setLong } from "./tensor-map.ts";
import type { ByteView } from "./types.ts";

export type MapField =
  | "global_address"
  | "rank"
  | "box_dim"
  | "global_dim"
  | "global_stride"
  | "element_stride"
  | "elemtype"
  | "interleave_layout"
  | "swizzle_mode"
  | "fill_mode";

/** By number; the types that flush subnormal numbers have no counterpart here. */
const elementTypes: readonly (DType | undefined)[] = [
  ...(["u8", "u16", "u32", "i32", "u64", "i64", "f16", "f32", undefined, "f64", "bf16", "tf32"] as const),
];

const setFlag = (view: DataView, flag: number, value: number, values: number): void => {
  if (value < 0 || value >= values)
    throw new KernelFault(`it set a field of a tensor map to ${value}, which is none of its values`);
  view.setUint8(mapAt.flags + flag, value);
};

/** Writes a field; `ordinal`: the dimension, where it has one. */
const setters: Readonly<Record<MapField, (view: DataView, value: number, ordinal: number) => void>> = {
  global_address: (view, value) => setLong(view, mapAt.address, value),
  rank: (view, value) => view.setUint8(mapAt.rank, value + 1),
  box_dim: (view, value, ordinal) => view.setUint16(mapAt.box + 2 * ordinal, value, true),
  global_dim: (view, value, ordinal) => view.setUint32(mapAt.dims + 4 * ordinal, (value >>> 0) - 1, true),
  global_stride: (view, value, ordinal) => setLong(view, mapAt.strides + 6 * ordinal, value),
  element_stride: (view, value, ordinal) => view.setUint8(mapAt.elementStrides + ordinal, value),
  elemtype: (view, value) => {
    const type = elementTypes[value];
    setFlag(view, flagAt.dtype, type ? mapValues.dtypes.indexOf(type) : -1, mapValues.dtypes.length);
  },
  interleave_layout: (view, value) => setFlag(view, flagAt.interleave, value, mapValues.interleaves.length),
  swizzle_mode: (view, value) => setFlag(view, flagAt.swizzle, value, mapValues.swizzles.length),
  fill_mode: (view, value) => setFlag(view, flagAt.fill, value, 2),
};

/** Most dimensions, and strides, of a map. */
const ordinals: Partial<Readonly<Record<MapField, number>>> = { box_dim: 5, global_dim: 5, global_stride: 4, element_stride: 5 };

/** The bytes hold a map, or are all zero: a tiled map whose fields are all to be set. W9110. */
export function replaceMapField({ bytes, offset }: ByteView, field: MapField, ordinal: number, value: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, mapBytes);
  if (!isSealed(view) && bytes.subarray(offset, offset + mapBytes).some((byte) => byte !== 0)) fail("W9110", {});
  if (ordinal < 0 || ordinal >= (ordinals[field] ?? 1)) {
    throw new KernelFault(`it set ${field} of dimension ${ordinal} of a tensor map: there are ${ordinals[field] ?? 1}`);
  }
  setters[field](view, value, ordinal);
  seal(view);
}
