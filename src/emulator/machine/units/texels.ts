/** Texels in memory: where they lie, and what is read of one. */
import type { Geometry, Sampling, TexelFormat, TexelType } from "../../../base/texture.ts";
import { texelBytes, texelTypeBytes } from "../../../base/texture.ts";
import { f16BitsRounded } from "../numerics/small-floats.ts";
import { floatTable } from "./floats.ts";

/** Texels of an array or in ordinary memory, rows `pitch` bytes apart, layers `height` rows. */
export interface Texels {
  readonly address: number;
  readonly format: TexelFormat;
  readonly geometry: Geometry;
  readonly width: number;
  readonly height: number;
  /** Of 3d; else layers, of which a cube has six. */
  readonly depth: number;
  readonly pitch: number;
}

/** What a texture object stands for. Plain data: other threads get it, too. */
export interface TextureObject {
  readonly kind: "texture";
  readonly texels: Texels;
  readonly sampling: Sampling;
  /** Ordinary memory: one row of it is read by whole numbers alone. */
  readonly linear: boolean;
  /** `tld4` may read it. */
  readonly gather: boolean;
}
export interface SurfaceObject {
  readonly kind: "surface";
  readonly texels: Texels;
}

/** Texture and surface objects by their handles. */
export type TextureObjects = ReadonlyMap<number, TextureObject | SurfaceObject>;

/** From the first byte of the first texel to the last of the last. */
export const extentBytes = ({ format, width, height, depth, pitch }: Texels): number =>
  (height * depth - 1) * pitch + width * texelBytes(format);

const word = new Int32Array(1);
const single = new Float32Array(word.buffer);
export function floatBits(x: number): number {
  single[0] = x;
  return word[0] ?? 0;
}

type ReadNumber = (view: DataView, offset: number) => number;

const numbers: Readonly<Record<TexelType, ReadNumber>> = {
  u8: (view, at) => view.getUint8(at),
  i8: (view, at) => view.getInt8(at),
  u16: (view, at) => view.getUint16(at, true),
  i16: (view, at) => view.getInt16(at, true),
  u32: (view, at) => view.getUint32(at, true),
  i32: (view, at) => view.getInt32(at, true),
  f16: (view, at) => floatTable("f16")[view.getUint16(at, true)] ?? 0,
  f32: (view, at) => view.getFloat32(at, true),
};

/** Of integers that stand for 0 to 1, or -1 to 1; the least signed one counts as -1, too. */
const mostOf: Partial<Readonly<Record<TexelType, number>>> = { u8: 255, i8: 127, u16: 65535, i16: 32767 };

function numberReader(type: TexelType, normalizedFloat: boolean): ReadNumber {
  const read = numbers[type];
  const most = normalizedFloat ? mostOf[type] : undefined;
  return most === undefined ? read : (view, at) => Math.max(-1, Math.fround(read(view, at) / most));
}

/** Reads a texel into four numbers, or into the four words that a register gets. Channels that there are not: 0, alpha as well (an H200). */
export interface TexelReader {
  /** Whether the words are f32. */
  readonly floats: boolean;
  numbers(view: DataView, offset: number, into: Float64Array): void;
  words(view: DataView, offset: number, into: Int32Array): void;
}

export function texelReader({ type, channels }: TexelFormat, normalizedFloat: boolean): TexelReader {
  const size = texelTypeBytes[type];
  const read = numberReader(type, normalizedFloat);
  const floats = type.startsWith("f") || normalizedFloat;
  const wordOf: ReadNumber =
    size === 4 ? (view, at) => view.getInt32(at, true) : floats ? (view, at) => floatBits(read(view, at)) : read;
  const fill = (into: Float64Array | Int32Array, get: ReadNumber, view: DataView, offset: number): void => {
    for (let c = 0; c < 4; c += 1) into[c] = c < channels ? get(view, offset + c * size) : 0;
  };
  return {
    floats,
    numbers: (view, offset, into) => fill(into, read, view, offset),
    words: (view, offset, into) => fill(into, wordOf, view, offset),
  };
}

const saturated = (x: number, least: number, most: number): number => Math.min(Math.max(x, least), most);

/**
 * Writes the words of a formatted store as a texel: words are floats where the format has floats, rounded towards zero to
 * f16 (an H200), else integers, which are saturated.
 * Channels that have no word become 0.
 */
export function writeTexel({ type, channels }: TexelFormat, view: DataView, offset: number, words: readonly number[]): void {
  const size = texelTypeBytes[type];
  for (let c = 0; c < channels; c += 1) {
    const [at, bits] = [offset + c * size, words[c] ?? 0];
    if (size === 4) view.setInt32(at, bits, true);
    else if (type === "f16") {
      word[0] = bits;
      view.setUint16(at, f16BitsRounded(single[0] ?? 0, "rz", false), true);
    } else {
      const half = 2 ** (8 * size - 1);
      const value = type.startsWith("u") ? saturated(bits >>> 0, 0, 2 * half - 1) : saturated(bits, -half, half - 1);
      if (size === 1) view.setUint8(at, value & 0xff);
      else view.setUint16(at, value & 0xffff, true);
    }
  }
}
