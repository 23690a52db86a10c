/**
 * The 128 bytes of a tensor map, in an encoding of this emulator's own (the hardware's is not documented). They hold the
 * whole map, so that copies of the bytes are maps, too, and a sum over them, so that anything else is none.
 */
import { fail } from "../../../diag/index.ts";
import type { Im2colMap, Interleave, L2Promotion, TiledMap } from "../../../tensor-map.ts";
import type { DType, Swizzle } from "../../../types.ts";
import type { ByteView, TensorMap } from "./types.ts";

export const mapBytes = 128;
const size = mapBytes;
const magic = 0x504d5457;
const dtypes: readonly DType[] = [
  "f64",
  "f32",
  "tf32",
  "f16",
  "bf16",
  "e4m3",
  "e5m2",
  "i64",
  "u64",
  "i32",
  "u32",
  "i16",
  "u16",
  "i8",
  "u8",
  "bool",
];
const swizzles: readonly Swizzle[] = ["none", "32B", "64B", "128B"];
const interleaves: readonly Interleave[] = ["none", "16B", "32B"];
const promotions: readonly L2Promotion[] = ["none", "64B", "128B", "256B"];

/** What the flags hold besides the mode. */
export const mapValues = { dtypes, swizzles, interleaves, promotions } as const;
/** Places among the flags. */
export const flagAt = { mode: 0, dtype: 1, swizzle: 2, interleave: 3, promotion: 4, fill: 5 } as const;

/** Byte offsets of the fields. Five numbers each from `dims` on; those of 40 and 48 bits as a low word and a high half. */
export const mapAt = {
  magic: 0,
  sum: 4,
  address: 8,
  rank: 14,
  flags: 16,
  strides: 24,
  dims: 56,
  box: 76,
  elementStrides: 86,
  lower: 92,
  upper: 98,
  channels: 104,
  pixels: 106,
} as const;

const at = mapAt;

export function setLong(view: DataView, offset: number, value: number): void {
  view.setUint32(offset, value % 2 ** 32, true);
  view.setUint16(offset + 4, Math.floor(value / 2 ** 32), true);
}

const getLong = (view: DataView, offset: number): number =>
  view.getUint32(offset, true) + view.getUint16(offset + 4, true) * 2 ** 32;

function sum(view: DataView): number {
  let total = 0x811c9dc5;
  for (let i = at.address; i < size; i += 4) total = Math.imul(total ^ view.getInt32(i, true), 0x01000193);
  return total >>> 0;
}

/** The bytes of a map over memory that begins at `address`. */
export function encodeTensorMap(address: number, map: TiledMap | Im2colMap): Uint8Array {
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  setLong(view, at.address, address);
  view.setUint8(at.rank, map.dims.length);
  [
    map.mode === "im2col" ? 1 : 0,
    dtypes.indexOf(map.dtype),
    swizzles.indexOf(map.swizzle),
    interleaves.indexOf(map.interleave),
    promotions.indexOf(map.l2Promotion),
    map.oobFill === "nan" ? 1 : 0,
  ].forEach((flag, i) => void view.setUint8(at.flags + i, flag));
  map.strides.forEach((stride, i) => void setLong(view, at.strides + 6 * i, stride));
  map.dims.forEach((extent, i) => void view.setUint32(at.dims + 4 * i, extent - 1, true));
  map.elementStrides.forEach((stride, i) => void view.setUint8(at.elementStrides + i, stride));
  if (map.mode === "tiled") map.box.forEach((extent, i) => void view.setUint16(at.box + 2 * i, extent, true));
  else setWindow(view, map);
  seal(view);
  return bytes;
}

/** Says that the bytes are a map. */
export function seal(view: DataView): void {
  view.setUint32(at.magic, magic, true);
  view.setUint32(at.sum, sum(view), true);
}
export const isSealed = (view: DataView): boolean =>
  view.getUint32(at.magic, true) === magic && view.getUint32(at.sum, true) === sum(view);

function setWindow(view: DataView, map: Im2colMap): void {
  map.lower.forEach((corner, i) => void view.setInt16(at.lower + 2 * i, corner, true));
  map.upper.forEach((corner, i) => void view.setInt16(at.upper + 2 * i, corner, true));
  view.setUint16(at.channels, map.channels, true);
  view.setUint16(at.pixels, map.pixels, true);
}

const list = <T>(length: number, item: (index: number) => T): T[] => Array.from({ length }, (_, i) => item(i));

/** The map that 128 bytes hold. W9110. */
export function decodeTensorMap({ bytes, offset }: ByteView): TensorMap {
  if (offset + size > bytes.length) fail("W9110", {});
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, size);
  if (!isSealed(view)) fail("W9110", {});
  const rank = view.getUint8(at.rank);
  const flag = (i: number): number => view.getUint8(at.flags + i);
  const base = {
    address: getLong(view, at.address),
    dtype: dtypes[flag(1)] ?? "u8",
    swizzle: swizzles[flag(2)] ?? "none",
    interleave: interleaves[flag(3)] ?? "none",
    l2Promotion: promotions[flag(4)] ?? "none",
    oobFill: flag(5) === 1 ? "nan" : "zero",
    dims: list(rank, (i) => view.getUint32(at.dims + 4 * i, true) + 1),
    strides: list(rank - 1, (i) => getLong(view, at.strides + 6 * i)),
    elementStrides: list(rank, (i) => view.getUint8(at.elementStrides + i)),
  } as const;
  if (flag(0) === 0) {
    const box = list(rank, (i) => view.getUint16(at.box + 2 * i, true));
    // What the device fills in itself may have gaps.
    if (rank === 0 || box.includes(0) || base.elementStrides.includes(0)) fail("W9110", {});
    return { ...base, mode: "tiled", box };
  }
  return {
    ...base,
    mode: "im2col",
    lower: list(rank - 2, (i) => view.getInt16(at.lower + 2 * i, true)),
    upper: list(rank - 2, (i) => view.getInt16(at.upper + 2 * i, true)),
    channels: view.getUint16(at.channels, true),
    pixels: view.getUint16(at.pixels, true),
  };
}
