/**
 * The 128 bytes of a tensor map. NVIDIA does not document them; this is how the driver fills them for Hopper, asked of one H200 with
 * driver 580 map by map (docs/hardware.md, test/recorded/tensor-maps.json). What it leaves zero is zero in a map, but for bit 21 of
 * the second 64 bits, which published code clears and nobody sets.
 */

import { elementBytes } from "../../../base/element-types.ts";
import type { Im2colMap, Interleave, L2Promotion, TiledMap } from "../../../base/tensor-map.ts";
import type { DType, Swizzle } from "../../../base/types.ts";
import { fail } from "../../errors/index.ts";
import { KernelFault } from "../fault.ts";
import type { ByteView, TensorMap } from "./types.ts";

export const mapBytes = 128;

const swizzles: readonly Swizzle[] = ["none", "32B", "64B", "128B"];
const interleaves: readonly Interleave[] = ["none", "16B", "32B"];
const promotions: readonly L2Promotion[] = ["none", "64B", "128B", "256B"];

/** By number, which is that of `tensormap.replace`, too (PTX ISA 9.7.9.28); 8 is f32 that flushes subnormal numbers. */
const types: readonly (DType | undefined)[] = ["u8", "u16", "u32", "i32", "u64", "i64", "f16", "f32", undefined, "f64", "bf16"];
const f32Type = 7;
const flushingType = 8;
/** What `tensormap.replace` calls tf32: f32 and a bit, as is the one that flushes. */
const tf32Value = 11;

/** Bits of a word: its byte offset, the lowest bit and how many there are. */
interface Bits {
  readonly at: number;
  readonly shift: number;
  readonly width: number;
}
const bits = (at: number, shift: number, width: number): Bits => ({ at, shift, width });

const im2col = bits(8, 0, 1);
const rankBits = bits(8, 4, 3);
const typeBits = bits(8, 7, 4);
const interleaveBits = bits(8, 11, 2);
const swizzleBits = bits(8, 13, 2);
const fillBits = bits(8, 15, 1);
const tf32Bits = bits(8, 16, 1);
const promotionBits = bits(8, 17, 2);
/** In units of 16 bytes. */
const strideLow = (i: number): Bits => bits(12 + 4 * i, 0, 32);
const strideHigh = (i: number): Bits => bits(28, 4 * i, 4);
/** One less, as are all extents. */
const dimBits = (i: number): Bits => bits(32 + 4 * i, 0, 32);
const elementStrideBits = (i: number): Bits => bits(52, 3 * i, 3);
const boxBits = (i: number): Bits => (i === 0 ? bits(52, 24, 8) : bits(56, 8 * (i - 1), 8));
const channelBits = boxBits(0);
const pixelBits = bits(60, 0, 10);
/** The corners of a window share a word: 16, 8 or 5 bits for each dimension. */
const cornerWidth = (rank: number): number => ({ 3: 16, 4: 8 })[rank] ?? 5;
const lowerBits = (rank: number, i: number): Bits => bits(56, cornerWidth(rank) * i, cornerWidth(rank));
const upperBits = (rank: number, i: number): Bits => bits(56, 16 + cornerWidth(rank) * i, cornerWidth(rank));
/** The bytes of a box, and to what its place in shared memory is aligned. Written as the driver does, never read here. */
const sizeAt = 64;
const alignmentAt = 72;
const alignments: Readonly<Record<Swizzle, number>> = { none: 16, "32B": 256, "64B": 512, "128B": 1024 };

/** What no field covers, by byte offset. */
const zeros: readonly (readonly [at: number, mask: number])[] = [
  [8, 0xffd8000e],
  [28, 0xffff0000],
  [52, 0x00ff8000],
  [60, 0xfffffc00],
  [68, -1],
  ...[76, 80, 84, 88, 92, 96, 100, 104, 108, 112, 116, 120, 124].map((at) => [at, -1] as const),
];

function get(view: DataView, { at, shift, width }: Bits): number {
  const word = view.getUint32(at, true);
  return width === 32 ? word : (word >>> shift) & (2 ** width - 1);
}

function set(view: DataView, { at, shift, width }: Bits, value: number): void {
  const mask = width === 32 ? -1 : (2 ** width - 1) << shift;
  const word = view.getUint32(at, true);
  view.setUint32(at, ((word & ~mask) | ((value << shift) & mask)) >>> 0, true);
}

const signed = (value: number, width: number): number => (value << (32 - width)) >> (32 - width);

const getAddress = (view: DataView): number => view.getUint32(0, true) + view.getUint32(4, true) * 2 ** 32;
function setAddress(view: DataView, address: number): void {
  view.setUint32(0, address % 2 ** 32, true);
  view.setUint32(4, Math.floor(address / 2 ** 32), true);
}

function setStride(view: DataView, i: number, stride: number): void {
  set(view, strideLow(i), Math.floor(stride / 16) % 2 ** 32);
  set(view, strideHigh(i), Math.floor(stride / 2 ** 36));
}
const getStride = (view: DataView, i: number): number => (get(view, strideLow(i)) + get(view, strideHigh(i)) * 2 ** 32) * 16;

/** The type as the hardware moves it: bits that it does not compute with are those of an unsigned number. */
const storedType = (dtype: DType): DType => {
  if (dtype === "tf32" || types.includes(dtype)) return dtype;
  return elementBytes[dtype] === 1 ? "u8" : "u16";
};

function setType(view: DataView, dtype: DType): void {
  set(view, typeBits, dtype === "tf32" ? f32Type : types.indexOf(storedType(dtype)));
  set(view, tf32Bits, dtype === "tf32" ? 1 : 0);
}

function getType(view: DataView): DType {
  const number = get(view, typeBits);
  const tf32 = get(view, tf32Bits) === 1;
  if (number === flushingType)
    throw new KernelFault("it used a tensor map of a type that flushes subnormal numbers, which the emulator does not have");
  const type = types[number];
  if (!type || (tf32 && number !== f32Type)) return fail("W9110", {});
  return tf32 ? "tf32" : type;
}

/** The bytes of a map over memory that begins at `address`. */
export function encodeTensorMap(address: number, map: TiledMap | Im2colMap): Uint8Array {
  const bytes = new Uint8Array(mapBytes);
  const view = new DataView(bytes.buffer);
  setAddress(view, address);
  set(view, rankBits, map.dims.length - 1);
  setType(view, map.dtype);
  set(view, interleaveBits, interleaves.indexOf(map.interleave));
  set(view, swizzleBits, swizzles.indexOf(map.swizzle));
  set(view, fillBits, map.oobFill === "nan" ? 1 : 0);
  set(view, promotionBits, promotions.indexOf(map.l2Promotion));
  map.strides.forEach((stride, i) => void setStride(view, i, stride));
  map.dims.forEach((extent, i) => void set(view, dimBits(i), extent - 1));
  map.elementStrides.forEach((stride, i) => void set(view, elementStrideBits(i), stride - 1));
  if (map.mode === "tiled") map.box.forEach((extent, i) => void set(view, boxBits(i), extent - 1));
  else setWindow(view, map);
  view.setUint32(sizeAt, boxSize(map), true);
  view.setUint32(alignmentAt, alignments[map.swizzle], true);
  return bytes;
}

/** As the driver counts: elements that are left of a whole step do not. */
function boxSize(map: TiledMap | Im2colMap): number {
  const count =
    map.mode === "im2col"
      ? map.channels * map.pixels
      : map.box.reduce((n, extent, i) => n * Math.floor(extent / (map.elementStrides[i] ?? 1)), 1);
  return count * elementBytes[map.dtype];
}

function setWindow(view: DataView, map: Im2colMap): void {
  const rank = map.dims.length;
  set(view, im2col, 1);
  map.lower.forEach((corner, i) => void set(view, lowerBits(rank, i), corner));
  map.upper.forEach((corner, i) => void set(view, upperBits(rank, i), corner));
  set(view, channelBits, map.channels - 1);
  set(view, pixelBits, map.pixels - 1);
}

/** Whether the bytes may become a map by more fields that are set. */
const isPart = (view: DataView): boolean => zeros.every(([at, mask]) => (view.getUint32(at, true) & mask) === 0);

const list = <T>(length: number, item: (index: number) => T): T[] => Array.from({ length }, (_, i) => item(i));

/** The map that 128 bytes hold. W9110. */
export function decodeTensorMap({ bytes, offset }: ByteView): TensorMap {
  if (offset + mapBytes > bytes.length) fail("W9110", {});
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, mapBytes);
  const address = getAddress(view);
  const rank = get(view, rankBits) + 1;
  const interleave = interleaves[get(view, interleaveBits)];
  if (!isPart(view) || address === 0 || address % 16 !== 0 || rank > 5 || !interleave) return fail("W9110", {});
  const base = {
    address,
    dtype: getType(view),
    swizzle: swizzles[get(view, swizzleBits)] ?? "none",
    interleave,
    l2Promotion: promotions[get(view, promotionBits)] ?? "none",
    oobFill: get(view, fillBits) === 1 ? "nan" : "zero",
    dims: list(rank, (i) => get(view, dimBits(i)) + 1),
    strides: list(rank - 1, (i) => getStride(view, i)),
    elementStrides: list(rank, (i) => get(view, elementStrideBits(i)) + 1),
  } as const;
  if (get(view, im2col) === 0) return { ...base, mode: "tiled", box: list(rank, (i) => get(view, boxBits(i)) + 1) };
  if (rank < 3) fail("W9110", {});
  const corner = (of: Bits): number => signed(get(view, of), of.width);
  return {
    ...base,
    mode: "im2col",
    lower: list(rank - 2, (i) => corner(lowerBits(rank, i))),
    upper: list(rank - 2, (i) => corner(upperBits(rank, i))),
    channels: get(view, channelBits) + 1,
    pixels: get(view, pixelBits) + 1,
  };
}

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

function setChoice(view: DataView, of: Bits, value: number, values: number): void {
  if (value < 0 || value >= values)
    throw new KernelFault(`it set a field of a tensor map to ${value}, which is none of its values`);
  set(view, of, value);
}

/** The driver refuses such a map (cuTensorMapEncodeTiled), and the hardware takes it for another one. */
function checkField(what: string, value: number, good: boolean, wanted: string): number {
  if (!good) throw new KernelFault(`it set ${what} of a tensor map to ${value}, which is not ${wanted}`);
  return value;
}
const strideLimit = 2 ** 40;
const isStride = (value: number): boolean => value >= 0 && value < strideLimit && value % 16 === 0;

/** Writes a field; `ordinal`: the dimension, where it has one. */
const setters: Readonly<Record<MapField, (view: DataView, value: number, ordinal: number) => void>> = {
  global_address: (view, value) => setAddress(view, checkField("the address", value, value % 16 === 0, "a multiple of 16 bytes")),
  rank: (view, value) => setChoice(view, rankBits, value, 5),
  box_dim: (view, value, ordinal) => set(view, boxBits(ordinal), value - 1),
  global_dim: (view, value, ordinal) =>
    set(view, dimBits(ordinal), checkField(`extent ${ordinal}`, value, value !== 0, "1 or more") - 1),
  global_stride: (view, value, ordinal) =>
    setStride(view, ordinal, checkField(`stride ${ordinal}, in bytes,`, value, isStride(value), "a multiple of 16 below 2^40")),
  element_stride: (view, value, ordinal) => set(view, elementStrideBits(ordinal), value - 1),
  elemtype: (view, value) => {
    const tf32 = value >= tf32Value;
    if (value === flushingType || value > tf32Value)
      throw new KernelFault(
        `it set a field of a tensor map to ${value}, a type that flushes subnormal numbers, which the emulator has not`,
      );
    setChoice(view, typeBits, tf32 ? f32Type : value, types.length);
    set(view, tf32Bits, tf32 ? 1 : 0);
  },
  interleave_layout: (view, value) => setChoice(view, interleaveBits, value, interleaves.length),
  swizzle_mode: (view, value) => setChoice(view, swizzleBits, value, swizzles.length),
  fill_mode: (view, value) => setChoice(view, fillBits, value, 2),
};

/** Most dimensions, and strides, of a map. */
const ordinals: Partial<Readonly<Record<MapField, number>>> = { box_dim: 5, global_dim: 5, global_stride: 4, element_stride: 5 };

/** `tensormap.replace` (PTX ISA 9.7.9.28): one field, in the encoding of the instruction (its table of new values). W9110. */
export function replaceMapField({ bytes, offset }: ByteView, field: MapField, ordinal: number, value: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, mapBytes);
  if (!isPart(view)) fail("W9110", {});
  if (get(view, im2col) === 1)
    throw new KernelFault("it changed a field of an im2col tensor map, and `tensormap.replace` is for maps of boxes (.tile)");
  if (ordinal < 0 || ordinal >= (ordinals[field] ?? 1)) {
    throw new KernelFault(`it set ${field} of dimension ${ordinal} of a tensor map: there are ${ordinals[field] ?? 1}`);
  }
  setters[field](view, value, ordinal);
}
